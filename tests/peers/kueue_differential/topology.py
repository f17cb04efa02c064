"""Topology requests of pod sets, and where running ones are."""
# SPDX-License-Identifier: Apache-2.0
from cluster import HOST


def make_requests(dice, world, queue, pod_sets):
    flavors = [f for group in world.queues[queue]['groups'] for f in group[1]]
    names = [world.flavors[f]['topology'] for f in flavors if f in world.flavors]
    levels = world.levels[next((name for name in names if name), 'default')]
    leader = dice.p('leader') and len(pod_sets) > 1
    for pod_set in pod_sets:
        request = make_request(dice, levels, pod_set)
        if request is not None:
            pod_set['topologyRequest'] = {**pod_set.get('topologyRequest', {}), **request}
    if leader:
        pair = pod_sets[:2]
        pair[dice.number(0, 1)]['count'] = 1
        request = {k: v for k, v in pair[1].get('topologyRequest', {}).items()}
        for pod_set in pair:
            mode = {k: v for k, v in request.items() if k in ('required', 'preferred', 'unconstrained')}
            if pod_set['count'] > 1:
                mode = request
            pod_set['topologyRequest'] = {**mode, 'podSetGroupName': 'pair'}


def make_request(dice, levels, pod_set):
    level = dice.pick(*levels)
    if dice.chance(0.02):
        level = 'cloud.com/absent'
    request = {}
    roll = dice.random.random()
    for mode in ('required', 'preferred', 'unconstrained'):
        roll -= dice.knobs[mode]
        if roll < 0:
            request[mode] = True if mode == 'unconstrained' else level
            break
    if dice.p('slices'):
        add_slices(dice, levels, level, request, pod_set)
    return request or None


def add_slices(dice, levels, level, request, pod_set):
    """Slices at or below the requested level; sizes divide the count."""
    first = levels.index(level) if level in levels and 'unconstrained' not in request else 0
    below = levels[first:]
    size = dice.pick(1, 2, 2, 3, 4)
    pod_set['count'] = size * dice.number(1, 4)
    if dice.chance(0.03):
        pod_set['count'] += 1
    if len(below) > 1 and dice.p('nested'):
        layers = sorted(dice.some(below, 2), key=levels.index)[:3]
        sizes = [2 ** dice.number(0, 2)]
        for _ in layers[1:]:
            sizes.insert(0, sizes[0] * dice.pick(1, 2, 3))
        pod_set['count'] = sizes[0] * dice.number(1, 3)
        request['podsetSliceRequiredTopologyConstraints'] = [
            {'topology': name, 'size': s} for name, s in zip(layers, sizes)]
        return
    request['podSetSliceRequiredTopology'] = dice.pick(*below)
    request['podSetSliceSize'] = size


def place(dice, world, assignment, flavor, pod_set):
    """Puts the pods of an admitted pod set on random nodes of its flavor."""
    if not flavor or not flavor['topology'] or dice.chance(0.05):
        return
    if 'topologyRequest' not in pod_set and dice.chance(0.2):
        return
    levels = world.levels[flavor['topology']]
    nodes = [labels for _, labels, _ in world.nodes
             if all(labels.get(k) == v for k, v in flavor['labels'].items())
             and all(level in labels for level in levels)]
    if not nodes or assignment['count'] == 0:
        return
    shown = [HOST] if levels[-1] == HOST else levels
    counts = {}
    for _ in range(assignment['count']):
        labels = dice.pick(*nodes[:max(1, len(nodes) // 2)]) if dice.chance(0.7) else dice.pick(*nodes)
        key = tuple(labels[level] for level in shown)
        counts[key] = counts.get(key, 0) + 1
    domains = sorted(counts)
    assignment['topologyAssignment'] = {'levels': shown, 'slices': [{
        'domainCount': len(domains),
        'valuesPerLevel': [{'individual': {'roots': [d[i] for d in domains]}}
                           for i in range(len(shown))],
        'podCounts': {'individual': [counts[d] for d in domains]}}]}


def break_node(dice, world, workload):
    """Says that a node of the workload is unhealthy; sometimes the node is really gone."""
    hosts = []
    for assignment in workload['status']['admission']['podSetAssignments']:
        where = assignment.get('topologyAssignment')
        if where and where['levels'][-1] == HOST:
            hosts += where['slices'][0]['valuesPerLevel'][-1]['individual']['roots']
    if not hosts:
        return
    names = sorted(set(dice.some(hosts)[:1 if dice.chance(0.8) else 2]))
    workload['status']['unhealthyNodes'] = [{'name': name} for name in names]
    if dice.chance(0.5):
        for name in names:
            node = world.find('Node', name)
            if node:
                node['status']['conditions'][0]['status'] = 'False'
