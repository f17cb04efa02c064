"""Workloads of a case: what they ask for, and the state they are in."""
# SPDX-License-Identifier: Apache-2.0
import cluster
import topology
from cluster import KUEUE

ELASTIC = 'kueue.x-k8s.io/elastic-job'
REPLACES = 'kueue.x-k8s.io/workload-slice-replacement-for'


def at(minutes):
    """A time on the morning of the case: minutes after midnight, in seconds for fractions."""
    seconds = int(minutes * 60)
    return f'2025-01-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z'


def condition(kind, status, reason, minutes, message=''):
    return {'type': kind, 'status': status, 'reason': reason, 'message': message,
            'lastTransitionTime': at(minutes)}


def add_workloads(dice, world):
    count = dice.range('workloads')
    created = dice.random.sample(range(1, 200), count + 20)
    world.uids = [f'u{number:03}' for number in dice.random.sample(range(1000), count + 20)]
    world.created = created
    for index in range(count):
        add_workload(dice, world, index)


def new_workload(dice, world, index):
    """A pending workload that is not among the objects yet; and its queue."""
    namespace, local, queue = dice.pick(*world.local)
    spec = {'queueName': local if not dice.p('missing_queue') else 'absent'}
    if world.workloads and dice.p('similar'):
        spec['podSets'] = dice.pick(*world.workloads)['spec']['podSets']
    else:
        spec['podSets'] = make_pod_sets(dice, world, queue)
    spec['priority'] = dice.number(-1, 4) if dice.p('priority') else 0
    if world.priority_classes and dice.chance(0.5):
        name, spec['priority'] = dice.pick(*world.priority_classes)
        spec['priorityClassRef'] = {'group': 'kueue.x-k8s.io', 'kind': 'WorkloadPriorityClass',
                                    'name': name}
    if dice.p('inactive'):
        spec['active'] = False
    metadata = {'name': f'w{index}', 'namespace': namespace, 'uid': world.uids[index],
                'creationTimestamp': at(world.created[index])}
    annotations = {}
    if dice.p('boost'):
        annotations['kueue.x-k8s.io/priority-boost'] = str(dice.number(-3, 3))
    if dice.p('gated'):
        annotations['kueue.x-k8s.io/admission-gated-by'] = 'example.com/gate'
    if annotations:
        metadata['annotations'] = annotations
    workload = {'apiVersion': KUEUE, 'kind': 'Workload', 'metadata': metadata, 'spec': spec}
    if dice.p('preemption_gate'):
        spec['preemptionGates'] = [{'name': 'example.com/gate'}]
        if dice.chance(0.6):
            workload['status'] = {'preemptionGates': [{
                'name': 'example.com/gate', 'position': dice.pick('Open', 'Closed'),
                'lastTransitionTime': at(210)}]}
    return workload, queue


def add_workload(dice, world, index):
    workload, queue = new_workload(dice, world, index)
    world.objects.append(workload)
    world.workloads.append(workload)
    if dice.p('pending'):
        make_pending(dice, workload, index)
        return
    if dice.p('low_running'):
        workload['spec']['priority'] = min(workload['spec']['priority'], dice.number(-1, 1))
    reserve(dice, world, workload, queue, index)
    if 'admission' in workload.get('status', {}) and dice.p('elastic') and not any('minCount' in s for s in workload['spec']['podSets']):
        add_slice(dice, world, workload, index)


def add_slice(dice, world, old, index):
    """A bigger (or equal) successor of an admitted workload."""
    old['metadata'].setdefault('annotations', {})[ELASTIC] = 'true'
    name = old['metadata']['name']
    metadata = {**old['metadata'], 'name': f'{name}-2', 'uid': f'{world.uids[index]}s',
                'creationTimestamp': at(world.created[-1 - index % 20] + 0.5)}
    metadata['annotations'] = {**old['metadata']['annotations'],
                               REPLACES: f'{old["metadata"]["namespace"]}/{name}'}
    pod_sets = [{**pod_set, 'count': max(0, pod_set['count'] + dice.pick(0, 1, 2, 2, -1))}
                for pod_set in old['spec']['podSets']]
    spec = {**old['spec'], 'podSets': pod_sets}
    world.objects.append({'apiVersion': KUEUE, 'kind': 'Workload', 'metadata': metadata,
                          'spec': spec})
    world.workloads.append(world.objects[-1])


def make_pod_sets(dice, world, queue):
    names = ['main', 'driver', 'worker', 'extra'][:dice.range('pod_sets')]
    pod_sets = [make_pod_set(dice, world, queue, name) for name in names]
    if len(pod_sets) > 1 and dice.p('group') and not dice.p('leader'):
        for pod_set in dice.some(pod_sets, 2):
            pod_set.setdefault('topologyRequest', {})['podSetGroupName'] = 'g'
    if world.topology:
        topology.make_requests(dice, world, queue, pod_sets)
    if dice.p('min_count'):
        for pod_set in dice.some(pod_sets) if dice.chance(0.3) else [dice.pick(*pod_sets)]:
            if pod_set['count'] > 1:
                pod_set['minCount'] = dice.number(1, pod_set['count'])
    return pod_sets


def make_pod_set(dice, world, queue, name):
    count = 0 if dice.p('zero_count') else dice.pick(1, 1, 2, 2, 3, 4)
    if world.topology:
        count = dice.pick(1, 2, 2, 3, 3, 4, 5, 6, 8)
    covered = [r for group in world.queues[queue]['groups'] for r in group[0]]
    requests = {'cpu': dice.pick('1', '1', '1', '2', '3') if not dice.p('odd_unit')
                else dice.pick('500m', '1500m', '100m')}
    if 'memory' in covered or dice.p('undeclared'):
        requests['memory'] = dice.pick('256Mi', '512Mi', '1Gi', '2Gi')
    if 'example.com/gpu' in covered and dice.chance(0.6) or dice.p('undeclared'):
        requests['example.com/gpu'] = dice.pick('1', '1', '2', '0')
    if dice.p('transform'):
        requests['example.com/slice'] = dice.pick('1', '2')
    if dice.p('exclude'):
        requests[dice.pick('example.com/x', 'ephemeral-storage')] = dice.pick('1', '2Gi')
    if dice.chance(0.05):
        requests = {}
    # An empty map would be another scheduling hash to Kueue before and after a write.
    container = {'name': 'c', 'image': 'i', 'resources': {'requests': requests} if requests else {}}
    if requests and dice.p('limits_only'):
        container['resources'] = {'limits': requests}
        if dice.chance(0.3):
            container['resources']['requests'] = {'cpu': '500m'}
    if dice.p('bad_limits'):
        container['resources'] = {'requests': {'cpu': '2'}, 'limits': {'cpu': '1'}}
    spec = {'containers': [container]}
    add_pod_parts(dice, world, spec)
    add_constraints(dice, world, spec)
    return {'name': name, 'count': count, 'template': {'spec': spec}}


def add_pod_parts(dice, world, spec):
    if dice.chance(0.1) and (dice.p('init') or dice.p('sidecar')):
        spec['containers'].append({'name': 'd', 'image': 'i', 'resources': {
            'requests': {'cpu': '500m'}}})
    inits = []
    for index in range(2):
        if dice.p('init'):
            inits.append({'name': f'i{index}', 'image': 'i', 'resources': {
                'requests': {'cpu': dice.pick('500m', '2', '4'),
                             **({'memory': '256Mi'} if 'memory' in world.covered else {})}}})
        if dice.p('sidecar'):
            inits.append({'name': f's{index}', 'image': 'i', 'restartPolicy': 'Always',
                          'resources': {'requests': {'cpu': dice.pick('250m', '1')}}})
    if inits:
        spec['initContainers'] = inits
    if dice.p('overhead'):
        spec['overhead'] = {'cpu': '100m'}
    if world.runtime_classes and dice.chance(0.5):
        spec['runtimeClassName'] = dice.pick(*world.runtime_classes)
    if dice.p('pod_level'):
        spec['resources'] = {'requests': {'cpu': dice.pick('1', '5')}}


def add_constraints(dice, world, spec):
    labels = [(key, value) for flavor in world.flavors.values()
              for key, value in flavor['labels'].items()] + [('other', 'thing')]
    if world.topology:
        labels += [('disk', 'ssd'), ('disk', 'hdd')]
    if dice.p('selector_pod'):
        spec['nodeSelector'] = dict([dice.pick(*labels)])
    if dice.p('affinity_pod'):
        terms = []
        for _ in range(dice.number(1, 2)):
            key, value = dice.pick(*labels)
            operator = dice.pick('In', 'In', 'NotIn', 'Exists', 'DoesNotExist')
            expression = {'key': key, 'operator': operator}
            if operator in ('In', 'NotIn'):
                expression['values'] = [value] + ([dice.pick(*labels)[1]] if dice.chance(0.3) else [])
            terms.append({'matchExpressions': [expression]})
        spec['affinity'] = {'nodeAffinity': {
            'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': terms}}}
    if world.topology and dice.p('preferred_affinity'):
        affinity = spec.setdefault('affinity', {}).setdefault('nodeAffinity', {})
        affinity['preferredDuringSchedulingIgnoredDuringExecution'] = [
            {'weight': dice.number(1, 100), 'preference': {'matchExpressions': [
                {'key': 'disk', 'operator': 'In', 'values': [dice.pick('ssd', 'hdd')]}]}}]
    if dice.chance(0.5) and (dice.p('taint') or (world.topology and dice.p('node_taint'))):
        spec['tolerations'] = [{'key': dice.pick('spot', 'dedicated', 'bad'), 'operator': 'Exists'}]


def make_pending(dice, workload, index):
    status = workload.setdefault('status', {})
    conditions = []
    if dice.p('evicted_pending'):
        reason = dice.pick('Preempted', 'PodsReadyTimeout', 'AdmissionCheck', 'NodeFailures')
        minutes = 300 + index + dice.pick(0, 0.5)
        conditions.append(condition('Evicted', 'True', reason, minutes))
        conditions.append(condition('QuotaReserved', 'False', 'Pending', minutes))
        if reason == 'Preempted':
            conditions.append(condition('Preempted', 'True', dice.pick(
                'InClusterQueue', 'InCohortReclamation', 'InCohortReclaimWhileBorrowing'), minutes))
        if dice.chance(0.8):
            ready = reason in ('Preempted', 'NodeFailures') or dice.chance(0.5)
            conditions.append(condition('Requeued', 'True' if ready else 'False', reason, minutes))
    if dice.p('requeue'):
        status['requeueState'] = {'count': dice.number(1, 3),
                                  'requeueAt': '2035-01-01T12:30:00Z' if dice.p('future')
                                  else '2025-01-01T11:59:00Z'}
    if dice.p('finished'):
        conditions.append(condition('Finished', 'True', 'Succeeded', 400))
    if dice.p('check_state'):
        status['admissionChecks'] = [{
            'name': f'check{number}', 'state': dice.pick('Pending', 'Ready', 'Retry', 'Rejected'),
            'message': '', 'lastTransitionTime': at(350)} for number in range(dice.number(1, 2))]
    if dice.p('reclaimable') and dice.chance(0.3):
        reclaim(dice, workload)
    if conditions:
        status['conditions'] = conditions
    if not status:
        del workload['status']


def reclaim(dice, workload):
    workload.setdefault('status', {})['reclaimablePods'] = [
        {'name': s['name'], 'count': dice.number(0, s['count'])}
        for s in dice.some(workload['spec']['podSets'])]


def per_pod(pod_set):
    """The requests of one pod, near enough for a status that somebody wrote."""
    resources = pod_set['template']['spec']['containers'][0]['resources']
    return resources.get('requests') or resources.get('limits') or {}


def times(quantity, count):
    digits = quantity.rstrip('GiMmk')
    unit = quantity[len(digits):]
    return f'{int(digits) * count}{unit}'


def take_room(dice, world, workload, queue, flavor):
    """Most running workloads fit into the quota of their tree; a few are beyond it."""
    asked = sum(int(per_pod(s).get('cpu', '0').rstrip('m')) * s['count']
                for s in workload['spec']['podSets'] if not per_pod(s).get('cpu', '').endswith('m'))
    if asked > world.room(queue, flavor) and not dice.chance(0.1):
        return False
    key = (world.tree(queue), flavor)
    world.used[key] = world.used.get(key, 0) + asked
    return True


def reserve(dice, world, workload, queue, index):
    """Gives the workload a quota reservation, as an earlier Kueue might have left it."""
    groups = world.queues[queue]['groups']
    flavor_of = {}
    for covered, flavors in groups:
        flavor = dice.pick(*flavors)
        if 'cpu' in covered and not take_room(dice, world, workload, queue, flavor):
            return
        for resource in covered:
            flavor_of[resource] = flavor
    assignments = []
    for pod_set in workload['spec']['podSets']:
        count = pod_set.get('minCount', pod_set['count']) if dice.chance(0.3) else pod_set['count']
        requests = {r: q for r, q in per_pod(pod_set).items() if r in flavor_of}
        if 'pods' in flavor_of:
            requests = {**requests, 'pods': '1'}
        assignment = {'name': pod_set['name'], 'count': count,
                      'flavors': {r: flavor_of[r] for r in requests},
                      'resourceUsage': {r: times(q, count) for r, q in requests.items()}}
        if world.topology and requests:
            topology.place(dice, world, assignment, world.flavors.get(flavor_of['cpu']), pod_set)
        assignments.append(assignment)
    minutes = 210 + index + dice.pick(0, 0.25)
    admitted = not dice.p('not_admitted')
    conditions = [condition('QuotaReserved', 'True', 'QuotaReserved', minutes)]
    if admitted:
        conditions.append(condition('Admitted', 'True', 'Admitted', minutes))
    if dice.p('evicted'):
        conditions.append(condition('Evicted', 'True', 'Preempted', 300 + index))
        conditions.append(condition('Preempted', 'True', dice.pick(
            'InClusterQueue', 'InCohortReclamation'), 300 + index))
    if dice.p('pods_ready') and dice.chance(0.6):
        conditions.append(condition('PodsReady', dice.pick('True', 'True', 'False'), 'Started',
                                    minutes + 1))
    if dice.p('finished'):
        conditions.append(condition('Finished', 'True', 'Succeeded', 400))
    workload.setdefault('status', {}).update({
        'conditions': conditions,
        'admission': {'clusterQueue': queue, 'podSetAssignments': assignments}})
    if dice.p('reclaimable'):
        reclaim(dice, workload)
    if world.checks and dice.p('check'):
        workload['status']['admissionChecks'] = [{
            'name': name, 'state': 'Ready' if admitted else dice.pick('Pending', 'Ready'),
            'message': '', 'lastTransitionTime': at(minutes)} for name in world.checks]
    if world.topology and dice.p('unhealthy'):
        topology.break_node(dice, world, workload)


__all__ = ['add_workloads', 'new_workload', 'reserve', 'make_pending', 'cluster']
