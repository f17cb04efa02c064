"""Flavors, topologies, nodes, cohorts, ClusterQueues, LocalQueues and checks of a case."""
# SPDX-License-Identifier: Apache-2.0

KUEUE = 'kueue.x-k8s.io/v1beta2'
HOST = 'kubernetes.io/hostname'
LEVELS = ['cloud.com/zone', 'cloud.com/block', 'cloud.com/rack']


class World:
    """What the generator knows about the cluster it makes."""

    def __init__(self):
        self.objects = []
        self.flavors = {}      # name → {'labels': …, 'topology': name or None}
        self.queues = {}       # name → {'groups': [[resources], [flavors]], 'cohort', 'spec'}
        self.covered = None    # the resources of the last queue's first group
        self.local = []        # (namespace, name, cluster queue)
        self.cohorts = []
        self.checks = []
        self.nodes = []        # (name, labels, allocatable)
        self.topology = None   # levels, lowest last
        self.levels = {}       # topology name → levels
        self.workloads = []
        self.used = {}         # (root of the cohort tree, flavor) → cpu that was given away
        self.runtime_classes = []
        self.priority_classes = []

    def add(self, version, kind, name, namespace=None, **rest):
        metadata = {'name': name, 'uid': f'{kind.lower()}-{name}'}
        if namespace:
            metadata['namespace'] = namespace
        labels = rest.pop('labels', None)
        if labels:
            metadata['labels'] = labels
        item = {'apiVersion': version, 'kind': kind, 'metadata': metadata, **rest}
        self.objects.append(item)
        return item

    def tree(self, queue):
        cohort = self.queues[queue]['cohort']
        while cohort and (self.find('Cohort', cohort) or {}).get('spec', {}).get('parentName'):
            cohort = self.find('Cohort', cohort)['spec']['parentName']
        return cohort or queue

    def room(self, queue, flavor):
        """About how much cpu of the flavor the tree of the queue still has."""
        tree = self.tree(queue)
        total = sum(whole(quota['nominalQuota']) for name, entry in self.queues.items()
                    if self.tree(name) == tree for group in entry['spec']['resourceGroups']
                    for f in group['flavors'] if f['name'] == flavor
                    for quota in f['resources'] if quota['name'] == 'cpu')
        return total - self.used.get((tree, flavor), 0)

    def find(self, kind, name, namespace=None):
        for item in self.objects:
            metadata = item['metadata']
            if (item['kind'], metadata['name'], metadata.get('namespace')) == (kind, name, namespace):
                return item
        return None


def whole(quantity):
    digits = quantity.rstrip('GiEm')
    return int(digits) // (1000 if quantity.endswith('m') else 1)


def make_cluster(dice):
    world = World()
    add_namespaces(dice, world)
    if dice.p('topology'):
        add_topologies(dice, world)
    add_flavors(dice, world)
    if world.topology:
        add_nodes(dice, world)
    add_checks(dice, world)
    add_cohorts(dice, world)
    for index in range(dice.range('queues')):
        add_queue(dice, world, f'q{index}')
    add_local_queues(dice, world)
    return world


def add_namespaces(dice, world):
    for name, team in (('a', 'red'), ('b', 'blue')):
        world.add('v1', 'Namespace', name, labels={'team': team})
        if dice.p('limit_range'):
            limit = {'type': 'Container'}
            for field in dice.some(['default', 'defaultRequest', 'max', 'min']):
                limit[field] = {'default': {'cpu': '2'}, 'defaultRequest': {'cpu': '1'},
                                'max': {'cpu': dice.pick('2', '4')},
                                'min': {'memory': '64Mi'}}[field]
            world.add('v1', 'LimitRange', f'limits-{name}', name, spec={'limits': [limit]})
    if dice.p('runtime_class'):
        world.add('node.k8s.io/v1', 'RuntimeClass', 'sandbox', handler='sandbox',
                  overhead={'podFixed': {'cpu': dice.pick('250m', '1'), 'memory': '128Mi'}})
        world.runtime_classes.append('sandbox')
    if dice.p('priority_class'):
        for name, value in (('low', -10), ('high', 100)):
            world.add(KUEUE, 'WorkloadPriorityClass', name, value=value)
            world.priority_classes.append((name, value))


def add_topologies(dice, world):
    count = dice.range('levels')
    levels = LEVELS[-(count - 1):] if count > 1 else []
    world.topology = levels + [HOST] if dice.p('hosts') or not levels else levels
    world.levels['default'] = world.topology
    world.add(KUEUE, 'Topology', 'default',
              spec={'levels': [{'nodeLabel': level} for level in world.topology]})
    if dice.p('overlap') and len(world.topology) > 1:
        world.levels['other'] = world.topology[-dice.number(1, len(world.topology)):]
        world.add(KUEUE, 'Topology', 'other',
                  spec={'levels': [{'nodeLabel': level} for level in world.levels['other']]})


def add_flavors(dice, world):
    for index in range(dice.range('flavors')):
        name = f'f{index}'
        spec, labels, topology = {}, {}, None
        if world.topology and not (index > 0 and dice.p('plain_flavor')):
            topology = dice.pick(*sorted(world.levels))
            labels = {'pool': dice.pick('x', 'x', 'y') if dice.p('overlap') else f'p{index % 2}'}
            if not dice.p('overlap'):
                labels = {'pool': 'x' if index == 0 else 'y'}
            spec['topologyName'] = topology
        elif dice.p('label'):
            labels = {'type': name}
            if dice.chance(0.3):
                labels['zone'] = dice.pick('z1', 'z2')
        if labels:
            spec['nodeLabels'] = labels
        if dice.p('taint'):
            spec['nodeTaints'] = [{'key': dice.pick('spot', 'dedicated'), 'value': 'true',
                                   'effect': dice.pick('NoSchedule', 'NoSchedule', 'NoExecute',
                                                       'PreferNoSchedule')}]
        if dice.p('toleration'):
            spec['tolerations'] = [{'key': dice.pick('spot', 'bad'), 'operator': 'Exists'}]
        world.flavors[name] = {'labels': labels, 'topology': topology}
        world.add(KUEUE, 'ResourceFlavor', name, spec=spec)


def add_nodes(dice, world):
    dice.knobs['node_size'] = dice.pick(2, 4, 8)
    fan = {level: dice.number(1, 3) for level in LEVELS}
    for index in range(dice.range('nodes')):
        name = f'n{index}'
        zone = index % fan[LEVELS[0]]
        block = f'z{zone}-b{dice.number(0, fan[LEVELS[1]] - 1)}'
        labels = {LEVELS[0]: f'z{zone}', LEVELS[1]: block,
                  LEVELS[2]: f'{block}-r{dice.number(0, fan[LEVELS[2]] - 1)}', HOST: name,
                  'pool': 'x' if dice.chance(0.9 if len(world.flavors) == 1 else 0.6) else 'y'}
        if dice.p('node_label'):
            labels['disk'] = dice.pick('ssd', 'hdd')
        size = dice.number(1, 8) if dice.p('uneven') else dice.knobs['node_size']
        allocatable = {'cpu': str(size), 'memory': f'{2 * size}Gi', 'example.com/gpu': str(size),
                       'pods': str(dice.pick(110, 110, 110, 110, 110, 4))}
        spec = {}
        if dice.p('node_taint'):
            spec['taints'] = [{'key': dice.pick('bad', 'spot'), 'value': 'true',
                               'effect': dice.pick('NoSchedule', 'NoExecute', 'PreferNoSchedule')}]
        ready = 'True'
        if dice.p('node_bad'):
            what = dice.pick('unschedulable', 'unready', 'label')
            if what == 'unschedulable':
                spec['unschedulable'] = True
            elif what == 'unready':
                ready = dice.pick('False', 'Unknown')
            else:
                del labels[dice.pick(*world.topology)]
        world.nodes.append((name, labels, allocatable))
        world.add('v1', 'Node', name, labels=labels, spec=spec, status={
            'allocatable': allocatable, 'conditions': [{'type': 'Ready', 'status': ready}]})
        if dice.p('other_pod'):
            world.add('v1', 'Pod', f'system-{index}', dice.pick('a', 'b'), spec={
                'nodeName': name, 'containers': [{'name': 'c', 'image': 'i', 'resources': {
                    'requests': {'cpu': dice.pick('500m', '1', '2')}}}]},
                      status={'phase': dice.pick('Running', 'Running', 'Succeeded', 'Pending')})


def add_checks(dice, world):
    if not dice.p('check') and not dice.p('provisioning'):
        return
    for index in range(dice.number(1, 2)):
        name = f'check{index}'
        controller = ('kueue.x-k8s.io/provisioning-request' if dice.p('provisioning')
                      else 'example.com/check')
        active = 'False' if dice.p('inactive_check') else 'True'
        world.checks.append(name)
        world.add(KUEUE, 'AdmissionCheck', name, spec={'controllerName': controller}, status={
            'conditions': [{'type': 'Active', 'status': active, 'reason': 'Active',
                            'message': '', 'lastTransitionTime': '2025-01-01T00:00:00Z'}]})


def amount(dice, resource, high):
    if dice.p('huge'):
        return dice.pick('1000000000Gi', '9223372036854775807', '8Ei')
    value = 0 if dice.p('zero_nominal') else dice.number(2, high)
    if resource == 'memory':
        return f'{value}Gi'
    if resource == 'cpu' and dice.p('odd_unit'):
        return f'{value * 1000 + dice.pick(500, 250, 1)}m'
    return str(value)


def quota_of(dice, resource, limits, lend_any=False):
    high = 60 if dice.p('ample') else 7 if dice.p('tight') else 20
    quota = {'name': resource, 'nominalQuota': amount(dice, resource, high)}
    if limits and dice.p('borrowing_limit'):
        quota['borrowingLimit'] = amount(dice, resource, 6)
    if limits and dice.p('lending_limit'):
        quota['lendingLimit'] = quota['nominalQuota']
        digits = quota['nominalQuota'].rstrip('Gi')
        if digits.isdigit() and int(digits) < 100:
            low = dice.number(0, int(digits) + (3 if lend_any else 0))
            quota['lendingLimit'] = str(low) + quota['nominalQuota'][len(digits):]
    return quota


def groups_of(dice, world, limits, lend_any=False):
    flavors = sorted(world.flavors)
    if world.covered is None or dice.chance(0.1):
        world.covered = ['cpu'] + (['memory'] if dice.p('memory') else [])
        if dice.p('pods'):
            world.covered.append('pods')
        if dice.p('more_resources'):
            world.covered += ['example.com/gpu', 'example.com/credits', 'example.com/slice',
                              'ephemeral-storage']
    covered = world.covered
    names = dice.some(flavors)
    if dice.chance(0.7):
        names.sort()
    if dice.p('missing_flavor'):
        names.append('absent')
    groups = [(covered, names)]
    rest = [flavor for flavor in flavors if flavor not in names]
    if rest and 'example.com/gpu' not in covered and dice.p('second_group'):
        groups.append((['example.com/gpu'], dice.some(rest)))
    spec = [{'coveredResources': covered, 'flavors': [
        {'name': name, 'resources': [quota_of(dice, r, limits, lend_any) for r in covered]}
        for name in names]} for covered, names in groups]
    return groups, spec


def add_cohorts(dice, world):
    count = dice.range('cohorts')
    for index in range(count):
        name = f'c{index}'
        parent = None
        if index > 0 and dice.chance(0.8):
            parent = f'c{dice.number(max(0, index - 3), index - 1)}'
        world.cohorts.append(name)
        if not parent and not dice.p('cohort_object'):
            continue
        spec = {'parentName': parent} if parent else {}
        if dice.p('cohort_quota'):
            spec['resourceGroups'] = groups_of(dice, world, parent and dice.p('cohort_limit'), True)[1]
        if dice.p('fair') and dice.p('weight'):
            spec['fairSharing'] = {'weight': weight(dice)}
        world.add(KUEUE, 'Cohort', name, spec=spec)
    if count > 1 and dice.p('cohort_cycle'):
        first = world.find('Cohort', 'c0') or world.add(KUEUE, 'Cohort', 'c0', spec={})
        first['spec']['parentName'] = f'c{count - 1}'
        dice.knobs['pending'] = 1.0  # Kueue itself overflows its stack if one of them holds quota


def weight(dice):
    return '0' if dice.p('zero_weight') else dice.pick('1', '2', '500m', '3', '10')


def add_queue(dice, world, name):
    spec = {'namespaceSelector': {}}
    if dice.p('selector'):
        spec['namespaceSelector'] = dice.pick(
            {'matchLabels': {'team': 'red'}}, None,
            {'matchExpressions': [{'key': 'team', 'operator': 'NotIn', 'values': ['blue']}]})
        if spec['namespaceSelector'] is None:
            del spec['namespaceSelector']
    cohort = None
    if world.cohorts and dice.p('in_cohort'):
        cohort = dice.pick(*world.cohorts)
        spec['cohortName'] = cohort
    groups, spec['resourceGroups'] = groups_of(dice, world, cohort is not None)
    if dice.p('strict'):
        spec['queueingStrategy'] = 'StrictFIFO'
    if dice.p('fungibility'):
        borrow, preempt = (dice.pick('MayStopSearch', 'TryNextFlavor') for _ in range(2))
        spec['flavorFungibility'] = {'whenCanBorrow': borrow, 'whenCanPreempt': preempt}
        if borrow == preempt == 'TryNextFlavor' and dice.chance(0.6):
            spec['flavorFungibility']['preference'] = dice.pick(
                'BorrowingOverPreemption', 'PreemptionOverBorrowing')
    add_preemption(dice, spec)
    if dice.p('stop_queue'):
        spec['stopPolicy'] = dice.pick('Hold', 'HoldAndDrain')
    if dice.p('fair') and dice.p('weight'):
        spec['fairSharing'] = {'weight': weight(dice)}
    if dice.p('local_fair'):
        spec['admissionScope'] = {'admissionMode': dice.pick(
            'UsageBasedAdmissionFairSharing', 'UsageBasedAdmissionFairSharing',
            'NoAdmissionFairSharing')}
    if world.checks and (dice.p('check') or dice.p('provisioning')):
        spec['admissionChecksStrategy'] = {'admissionChecks': [
            {'name': check, **({'onFlavors': dice.some(groups[0][1])} if dice.chance(0.3) else {})}
            for check in dice.some(world.checks)]}
    world.queues[name] = {'groups': groups, 'cohort': cohort, 'spec': spec}
    world.add(KUEUE, 'ClusterQueue', name, spec=spec)


def add_preemption(dice, spec):
    preemption = {}
    if dice.p('within'):
        preemption['withinClusterQueue'] = dice.pick('LowerPriority', 'LowerOrNewerEqualPriority')
    if dice.p('reclaim'):
        preemption['reclaimWithinCohort'] = dice.pick('LowerPriority', 'Any')
        if dice.p('borrow_within'):
            preemption['borrowWithinCohort'] = {'policy': 'LowerPriority'}
            if dice.chance(0.5):
                preemption['borrowWithinCohort']['maxPriorityThreshold'] = dice.number(-1, 5)
    if preemption:
        spec['preemption'] = preemption


def add_local_queues(dice, world):
    for index, queue in enumerate(sorted(world.queues)):
        names = [f'l{index}'] + ([f'm{index}'] if dice.p('second_local') else [])
        for name in names:
            namespace = dice.pick('a', 'b')
            spec = {'clusterQueue': queue if not dice.p('missing_queue') else 'absent'}
            status = {}
            if dice.p('stop_local'):
                spec['stopPolicy'] = dice.pick('Hold', 'HoldAndDrain')
            if dice.p('local_fair'):
                if dice.p('weight'):
                    spec['fairSharing'] = {'weight': weight(dice)}
                if dice.chance(0.7):
                    status['fairSharing'] = {'weightedShare': 0, 'admissionFairSharingStatus': {
                        'consumedResources': {'cpu': dice.pick('0', '1', '2500m', '7'),
                                              'memory': dice.pick('0', '1Gi')},
                        'lastUpdate': '2025-01-01T11:59:00Z'}}
            rest = {'status': status} if status else {}
            world.add(KUEUE, 'LocalQueue', name, namespace, spec=spec, **rest)
            world.local.append((namespace, name, queue))
