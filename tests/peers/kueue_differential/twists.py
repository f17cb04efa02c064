"""Twists: a case of another family with something that people write and no family makes.

Each twist changes a case in place, or leaves it alone where it has nothing to change. The family `twisted` does one to
three of them; the name of each is a function below.
"""
# SPDX-License-Identifier: Apache-2.0
from cluster import HOST

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


TWISTS = [packed_domains, split_domains, put_off_topology, odd_quantities, odd_tolerations, odd_affinity,
          ties, one_name, strange_reservations, strange_quotas, pods_of_gangs, whole_paths]


def twist(dice, case):
    for each in dice.random.sample(TWISTS, dice.number(1, 3)):
        each(dice, case)
