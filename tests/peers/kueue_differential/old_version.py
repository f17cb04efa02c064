"""Some objects as an older client writes them: v1beta1, or without what a server fills in."""
# SPDX-License-Identifier: Apache-2.0


def age(dice, world):
    bare = False
    for item in world.objects:
        if item['apiVersion'] == 'kueue.x-k8s.io/v1beta2' and dice.p('old_version'):
            convert(item)
        if item['kind'] != 'Workload' and dice.p('bare'):
            item['metadata'].pop('uid', None)
        elif not bare and dice.p('bare'):  # two of them would tie
            bare = True
            item['metadata'].pop('creationTimestamp', None)


def convert(item):
    """Writes v1beta1 where that is only a matter of names."""
    spec, kind = item.get('spec', {}), item['kind']
    if kind == 'ClusterQueue':
        if 'cohortName' in spec:
            spec['cohort'] = spec.pop('cohortName')
        fungibility = spec.get('flavorFungibility', {})
        for key, word in (('whenCanBorrow', 'Borrow'), ('whenCanPreempt', 'Preempt')):
            if fungibility.get(key) == 'MayStopSearch':
                fungibility[key] = word
    elif kind == 'Workload':
        if 'preemptionGates' in spec or any(
                'podsetSliceRequiredTopologyConstraints' in s.get('topologyRequest', {})
                for s in spec['podSets']):
            return
        reference = spec.pop('priorityClassRef', None)
        if reference:
            spec['priorityClassName'] = reference['name']
            spec['priorityClassSource'] = 'kueue.x-k8s.io/workloadpriorityclass'
        for assignment in item.get('status', {}).get('admission', {}).get('podSetAssignments', []):
            spread(assignment)
    elif kind not in ('LocalQueue', 'Cohort', 'ResourceFlavor', 'Topology', 'WorkloadPriorityClass',
                      'AdmissionCheck'):
        return
    item['apiVersion'] = 'kueue.x-k8s.io/v1beta1'


def spread(assignment):
    """The compressed list of domains as the plain one of v1beta1."""
    where = assignment.get('topologyAssignment')
    if not where or 'slices' not in where:
        return
    values = [v['individual']['roots'] for v in where['slices'][0]['valuesPerLevel']]
    counts = where['slices'][0]['podCounts']['individual']
    assignment['topologyAssignment'] = {'levels': where['levels'], 'domains': [
        {'values': [level[i] for level in values], 'count': count}
        for i, count in enumerate(counts)]}
