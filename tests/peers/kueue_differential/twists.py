"""Twists: a case of another family with something that people write and no family makes.

Each twist changes a case in place, or leaves it alone where it has nothing to change. The family `twisted` does one to
three of them; the name of each is a function below.
"""
# SPDX-License-Identifier: Apache-2.0
from cluster import HOST
from node_twists import NODE_TWISTS
from rare_twists import RARE_TWISTS

NEVER = '2025-01-01T00:00:00Z'


def workloads_of(case):
    return [o for o in case['objects'] if o['kind'] == 'Workload' and o['apiVersion'].endswith('v1beta2')]


def queues_of(case):
    return [o for o in case['objects'] if o['kind'] == 'ClusterQueue' and o['apiVersion'].endswith('v1beta2')]


def assignments_of(workload):
    return workload.get('status', {}).get('admission', {}).get('podSetAssignments', [])


def containers_of(case):
    for workload in workloads_of(case):
        for pod_set in workload['spec']['podSets']:
            spec = pod_set['template']['spec']
            yield from spec.get('containers', []) + spec.get('initContainers', [])


def packed_domains(dice, case):
    """Domains in the shorter forms of the assignment: a shared value, a prefix, one count for all."""
    for workload in workloads_of(case):
        for assignment in assignments_of(workload):
            where = assignment.get('topologyAssignment')
            if not where or 'slices' not in where:
                continue
            part = where['slices'][0]
            counts = part['podCounts'].get('individual', [])
            if len(set(counts)) == 1:
                part['podCounts'] = {'universal': counts[0]}
            for values in part['valuesPerLevel']:
                roots = values.get('individual', {}).get('roots', [''])
                if 'universal' not in values and len(set(roots)) == 1 and dice.chance(0.7):
                    del values['individual']
                    values['universal'] = roots[0]
                elif all(r.startswith('n') and len(r) > 1 for r in roots):
                    values['individual'] = {'prefix': 'n', 'roots': [r[1:] for r in roots]}


def split_domains(dice, case):
    """One assignment in several parts."""
    for workload in workloads_of(case):
        for assignment in assignments_of(workload):
            where = assignment.get('topologyAssignment')
            part = (where or {}).get('slices', [{}])[0]
            if part.get('domainCount', 0) < 2 or 'individual' not in part['podCounts']:
                continue
            if any('individual' not in v or 'prefix' in v['individual'] for v in part['valuesPerLevel']):
                continue
            where['slices'] = [{
                'domainCount': 1, 'podCounts': {'universal': count},
                'valuesPerLevel': [{'universal': v['individual']['roots'][i]}
                                   for v in part['valuesPerLevel']]}
                for i, count in enumerate(part['podCounts']['individual'])]


def put_off_topology(dice, case):
    """Reservations whose topology waits for a check, some of which are ready."""
    for workload in workloads_of(case):
        status = workload.get('status', {})
        if not assignments_of(workload) or not dice.chance(0.6):
            continue
        status['conditions'] = [c for c in status['conditions'] if c['type'] == 'QuotaReserved']
        status['admissionChecks'] = [{
            'name': 'check0', 'state': dice.pick('Ready', 'Ready', 'Pending'), 'message': '',
            'lastTransitionTime': NEVER}]
        for assignment in assignments_of(workload):
            if assignment.pop('topologyAssignment', None):
                assignment['delayedTopologyRequest'] = dice.pick('Pending', 'Pending', 'Ready')
                if dice.chance(0.4):
                    status['admissionChecks'][0]['podSetUpdates'] = [{
                        'name': assignment['name'],
                        'nodeSelector': {'disk': dice.pick('ssd', 'hdd')}}]
    case.update(cycles=dice.number(1, 2), untilIdle=False, steps=[])


def odd_quantities(dice, case):
    forms = {'1': ['1000m', '1.0', '1e0'], '2': ['2000m', '2.0'], '3': ['3e0', '2999999u'],
             '500m': ['0.5', '.5'], '1Gi': ['1024Mi', '1073741824'], '2Gi': ['2048Mi', '2e9']}
    for container in containers_of(case):
        requests = container.get('resources', {}).get('requests', {})
        for name, quantity in requests.items():
            if quantity in forms and not name.startswith('example.com'):
                requests[name] = dice.pick(*forms[quantity])
    for queue in queues_of(case):
        for group in queue['spec'].get('resourceGroups', []):
            for flavor in group['flavors']:
                for quota in flavor['resources']:
                    if quota['name'] == 'cpu' and quota['nominalQuota'].isdigit() and dice.chance(0.5):
                        quota['nominalQuota'] += dice.pick('.5', '.001', '.0005', '000m')


def odd_tolerations(dice, case):
    for workload in workloads_of(case):
        for pod_set in workload['spec']['podSets']:
            if dice.chance(0.5):
                pod_set['template']['spec']['tolerations'] = [dice.pick(
                    {'operator': 'Exists'}, {'key': 'spot', 'operator': 'Equal', 'value': 'true'},
                    {'key': 'spot', 'value': 'true', 'effect': 'NoSchedule'},
                    {'key': 'spot', 'operator': 'Exists', 'effect': 'NoExecute', 'tolerationSeconds': 60},
                    {'key': 'dedicated', 'operator': 'Equal', 'value': 'other'},
                    {'key': 'bad', 'operator': 'Exists', 'effect': 'PreferNoSchedule'})]
    for each in case['objects']:
        if each['kind'] == 'ResourceFlavor' and dice.chance(0.5):
            each['spec'].setdefault('nodeTaints', []).append(
                {'key': dice.pick('gpu', 'spot'), 'value': dice.pick('true', ''), 'effect': 'NoSchedule'})


def odd_affinity(dice, case):
    for workload in workloads_of(case):
        for pod_set in workload['spec']['podSets']:
            if not dice.chance(0.5):
                continue
            spec = pod_set['template']['spec']
            term = dice.pick(
                {'matchExpressions': [{'key': 'rank', 'operator': 'Gt', 'values': ['3']}]},
                {'matchExpressions': [{'key': 'rank', 'operator': 'Lt', 'values': ['3']},
                                      {'key': 'disk', 'operator': 'In', 'values': ['ssd', 'hdd']}]},
                {'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['n1']}]},
                {'matchExpressions': [{'key': HOST, 'operator': 'NotIn', 'values': ['n0', 'n1']}]},
                {'matchExpressions': [{'key': 'type', 'operator': 'In', 'values': ['f0']}]}, {})
            spec['affinity'] = {'nodeAffinity': {
                'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [term]}}}
            if dice.chance(0.3):
                spec['nodeSelector'] = {HOST: dice.pick('n0', 'n2', 'absent')}
    for each in case['objects']:
        if each['kind'] == 'Node':
            each['metadata'].setdefault('labels', {})['rank'] = dice.pick('1', '3', '7', 'x')


def ties(dice, case):
    """No creation times: priorities and UIDs decide."""
    for workload in workloads_of(case):
        if dice.chance(0.7):
            workload['metadata'].pop('creationTimestamp', None)
            if 'priorityClassRef' not in workload['spec']:
                workload['spec'].pop('priority', None)


def one_name(dice, case):
    """LocalQueues of one name in two namespaces, and a workload that names the other's."""
    names = {}
    for each in case['objects']:
        if each['kind'] != 'LocalQueue':
            continue
        namespace = each['metadata']['namespace']
        if namespace in names:
            continue
        names[namespace] = each['metadata']['name']
        each['metadata']['name'] = 'queue'
    for workload in workloads_of(case):
        if workload['spec'].get('queueName') == names.get(workload['metadata']['namespace']):
            workload['spec']['queueName'] = 'queue'
        elif dice.chance(0.1):
            workload['spec']['queueName'] = 'queue'


def strange_reservations(dice, case):
    """What a reservation refers to is not there, or not what the queue has."""
    for workload in workloads_of(case):
        if not assignments_of(workload) or not dice.chance(0.4):
            continue
        admission = workload['status']['admission']
        what = dice.pick('queue', 'flavor', 'usage', 'count', 'none')
        first = admission['podSetAssignments'][0]
        if what == 'queue':
            admission['clusterQueue'] = dice.pick('absent', 'q0', 'q1')
        elif what == 'flavor':
            first['flavors'] = {r: dice.pick('absent', 'f0', 'f1') for r in first.get('flavors', {})}
        elif what == 'usage':
            first.get('resourceUsage', {})['example.com/other'] = '3'
            first.setdefault('flavors', {})['example.com/other'] = 'f0'
        elif what == 'count':
            first['count'] = first.get('count', 1) + dice.pick(1, 2, 5)
        else:
            first['flavors'], first['resourceUsage'] = {}, {}


def strange_quotas(dice, case):
    """What Kueue's webhooks refuse and its scheduler takes. (What the schema refuses is no plan.)"""
    for queue in queues_of(case):
        groups = queue['spec'].get('resourceGroups', [])
        if not groups or not dice.chance(0.6):
            continue
        quotas = groups[0]['flavors'][0]['resources']
        what = dice.pick('lend', 'order', 'group')
        if what == 'lend':
            quotas[0]['lendingLimit'] = '50'
        elif what == 'order':
            quotas.reverse()
        elif what == 'group' and len(groups) > 1:
            groups[1]['flavors'][0]['name'] = groups[0]['flavors'][0]['name']


def pods_of_gangs(dice, case):
    """Pods that Kueue placed, which count by their workload, among pods of others."""
    nodes = [o['metadata']['name'] for o in case['objects'] if o['kind'] == 'Node']
    for index, node in enumerate(nodes):
        if not dice.chance(0.5):
            continue
        metadata = {'name': f'pod-{index}', 'namespace': dice.pick('a', 'b')}
        if dice.chance(0.4):
            metadata['labels'] = {'kueue.x-k8s.io/tas': 'true'}
        if dice.chance(0.3):
            metadata['annotations'] = {'kueue.x-k8s.io/workload': 'w0'}
        if dice.chance(0.2):
            metadata['deletionTimestamp'] = '2025-01-01T11:00:00Z'
            metadata['finalizers'] = ['example.com/x']
        if dice.chance(0.2):
            metadata['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'name': 'd',
                                            'uid': 'd', 'controller': True}]
        container = {'name': 'c', 'image': 'i', 'resources': {
            'requests': {'cpu': dice.pick('500m', '1')}, 'limits': {'cpu': '2', 'memory': '1Gi'}}}
        spec = {'nodeName': node, 'containers': [container]}
        if dice.chance(0.3):
            spec['initContainers'] = [{'name': 'i', 'image': 'i', 'resources': {'requests': {'cpu': '3'}}}]
        if dice.chance(0.2):
            spec['overhead'] = {'cpu': '250m'}
        case['objects'].append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': metadata, 'spec': spec,
                                'status': {'phase': dice.pick('Running', 'Pending', 'Failed')}})


def whole_paths(dice, case):
    """Assignments down to hosts with all levels written out, as older versions wrote them."""
    labels = {o['metadata']['name']: o['metadata'].get('labels', {})
              for o in case['objects'] if o['kind'] == 'Node'}
    levels = next((o['spec']['levels'] for o in case['objects'] if o['kind'] == 'Topology'), [])
    levels = [level['nodeLabel'] for level in levels]
    for workload in workloads_of(case):
        for assignment in assignments_of(workload):
            where = assignment.get('topologyAssignment')
            if not where or where['levels'] != [HOST] or len(levels) < 2 or not dice.chance(0.7):
                continue
            part = where['slices'][0]
            values = part['valuesPerLevel'][0].get('individual', {})
            if 'prefix' in values or any(level not in labels.get(h, {})
                                         for h in values.get('roots', ['']) for level in levels):
                continue
            where['levels'] = levels
            part['valuesPerLevel'] = [
                {'individual': {'roots': [labels[h][level] for h in values['roots']]}}
                for level in levels]


def rare_conditions(dice, case):
    """Conditions that few workloads have, and some that contradict the rest of the status."""
    for workload in workloads_of(case):
        if not dice.chance(0.5):
            continue
        conditions = workload.setdefault('status', {}).setdefault('conditions', [])
        reserved = 'admission' in workload['status']
        kind, status, reason = dice.pick(
            ('WaitingForReplacementPods', 'True', 'Preempted'),
            ('WaitingForReplacementPods', 'False', 'PodsReady'),
            ('DeactivationTarget', 'True', 'RequeuingLimitExceeded'),
            ('BlockedOnPreemptionGates', 'True', 'PreemptionGated'),
            ('QuotaReserved', 'False', 'OnHold'), ('QuotaReserved', 'False', 'WaitingForQuota'),
            ('Requeued', 'False', 'AdmissionCheck'), ('Requeued', 'True', 'BackoffFinished'),
            ('Evicted', 'False', 'QuotaReserved'), ('Evicted', 'True', 'Deactivated'),
            ('Evicted', 'True', 'ClusterQueueStopped'), ('Preempted', 'False', 'QuotaReserved'),
            ('PodsReady', 'False', 'WaitForRecovery'), ('Admitted', 'False', 'NoReservation'))
        if any(c['type'] == kind for c in conditions) or (reserved and kind in ('QuotaReserved', 'Admitted')):
            continue
        conditions.append({'type': kind, 'status': status, 'reason': reason, 'message': '',
                           'lastTransitionTime': f'2025-01-01T07:{dice.number(0, 59):02}:00Z'})


def rare_fields(dice, case):
    """Fields of workloads that change little, and how they end up."""
    for workload in workloads_of(case):
        what = dice.pick('priority', 'queue', 'time', 'count', 'owner', 'label', 'none')
        spec = workload['spec']
        if what == 'priority' and 'priorityClassRef' not in spec:
            spec['priority'] = dice.pick(2147483647, -2147483648, 2000000000)
        elif what == 'queue' and dice.chance(0.3):
            spec.pop('queueName', None)
        elif what == 'time':
            spec['maximumExecutionTimeSeconds'] = dice.pick(1, 3600)
        elif what == 'count' and 'admission' not in workload.get('status', {}):
            spec['podSets'][0]['count'] = dice.pick(0, 17, 1000, 1000000)
            spec['podSets'][0].pop('minCount', None)
        elif what == 'owner':
            workload['metadata']['ownerReferences'] = [
                {'apiVersion': 'v1', 'kind': 'Pod', 'name': 'p', 'uid': f'p-{workload["metadata"]["name"]}',
                 **({'controller': True} if dice.chance(0.5) else {})}]
        elif what == 'label':
            workload['metadata']['labels'] = {'kueue.x-k8s.io/job-uid': 'j', 'x': 'y'}


def rare_limits(dice, case):
    """Limits of zero and quotas of nothing; weights that are fractions or nothing."""
    for each in case['objects']:
        if each['kind'] not in ('ClusterQueue', 'Cohort') or not each['apiVersion'].endswith('v1beta2'):
            continue
        has_parent = 'cohortName' in each['spec'] or 'parentName' in each['spec']
        for group in each['spec'].get('resourceGroups', []):
            for flavor in group['flavors']:
                for quota in flavor['resources']:
                    if dice.chance(0.2):
                        quota['nominalQuota'] = '0'
                        quota.pop('lendingLimit', None)
                    if has_parent and dice.chance(0.3):
                        quota['borrowingLimit'] = dice.pick('0', '1')
                    if has_parent and dice.chance(0.3):
                        quota['lendingLimit'] = '0'
        if dice.chance(0.3):
            each['spec']['fairSharing'] = {'weight': dice.pick('0', '1m', '333m', '1000', '0.5')}


def rare_slices(dice, case):
    """Slices that do not divide the pods, that are larger than the gang, or of a level that is not there."""
    for workload in workloads_of(case):
        for pod_set in workload['spec']['podSets']:
            request = pod_set.get('topologyRequest')
            if not request or not dice.chance(0.6):
                continue
            what = dice.pick('size', 'level', 'both', 'mode', 'minimum', 'index')
            if what == 'size':
                request['podSetSliceSize'] = dice.pick(1, 3, 5, 50)
                request.setdefault('podSetSliceRequiredTopology', HOST)
            elif what == 'level':
                request['podSetSliceRequiredTopology'] = dice.pick('cloud.com/absent', HOST)
                request.setdefault('podSetSliceSize', 2)
            elif what == 'both':
                request['required'] = dice.pick(HOST, 'cloud.com/rack')
            elif what == 'mode':
                for mode in ('required', 'preferred', 'unconstrained'):
                    request.pop(mode, None)
            elif what == 'minimum' and pod_set['count'] > 1:
                pod_set['minCount'] = dice.number(1, pod_set['count'])
            elif what == 'index':
                request['podIndexLabel'] = 'batch.kubernetes.io/job-completion-index'


def check_states(dice, case):
    """Checks in every state on workloads with quota, among them checks that no queue names."""
    for workload in workloads_of(case):
        if not dice.chance(0.6):
            continue
        workload.setdefault('status', {})['admissionChecks'] = [
            {'name': name, 'state': dice.pick('Pending', 'Ready', 'Ready', 'Retry', 'Rejected'),
             'message': '', 'lastTransitionTime': NEVER}
            for name in dice.some(['check0', 'check1', 'absent'])]


def other_resources(dice, case):
    """Queues of one tree that cover different resources, and pods that ask for nothing of some."""
    for queue in queues_of(case):
        for group in queue['spec'].get('resourceGroups', [])[:1]:
            if not dice.chance(0.5) or 'example.com/extra' in group['coveredResources']:
                continue
            group['coveredResources'] = [*group['coveredResources'], 'example.com/extra']
            for flavor in group['flavors']:
                flavor['resources'].append({'name': 'example.com/extra', 'nominalQuota': dice.pick('0', '2', '5')})
    for container in containers_of(case):
        requests = container.get('resources', {}).get('requests')
        if requests and dice.chance(0.4):
            requests['example.com/extra'] = dice.pick('0', '1', '2')


def moved_cohorts(dice, case):
    """Queues without a cohort object between them, cohorts that are only named, and one in itself."""
    for each in case['objects']:
        if not each['apiVersion'].endswith('v1beta2'):
            continue
        if each['kind'] == 'ClusterQueue' and dice.chance(0.3):
            each['spec']['cohortName'] = dice.pick('c0', 'c1', 'elsewhere')
        elif each['kind'] == 'Cohort' and dice.chance(0.3):
            each['spec']['parentName'] = dice.pick('above', 'c0') if each['metadata']['name'] != 'c0' else 'above'


TWISTS = [packed_domains, split_domains, put_off_topology, odd_quantities, odd_tolerations, odd_affinity,
          ties, one_name, strange_reservations, strange_quotas, pods_of_gangs, whole_paths,
          rare_conditions, rare_fields, rare_limits, rare_slices, check_states, other_resources,
          moved_cohorts, *NODE_TWISTS, *RARE_TWISTS]


def twist(dice, case):
    for each in dice.random.sample(TWISTS, dice.number(1, 3)):
        each(dice, case)
