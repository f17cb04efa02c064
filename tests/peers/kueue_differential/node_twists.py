"""Twists of nodes: names and labels that do not agree, nodes that say little, racks of one name."""
# SPDX-License-Identifier: Apache-2.0
from cluster import HOST, LEVELS


def nodes_of(case):
    return [o for o in case['objects'] if o['kind'] == 'Node']


def renamed_hosts(dice, case):
    """The label of the host is not the name of the node, or two nodes have the same."""
    for node in nodes_of(case):
        labels = node['metadata']['labels']
        if HOST not in labels or not dice.chance(0.3):
            continue
        labels[HOST] = dice.pick(labels[HOST] + '-host', 'n0', 'N' + labels[HOST])


def racks_of_one_name(dice, case):
    """Racks are called the same in every block."""
    for node in nodes_of(case):
        labels = node['metadata']['labels']
        if LEVELS[2] in labels:
            labels[LEVELS[2]] = labels[LEVELS[2]].rsplit('-', 1)[-1]
        if LEVELS[1] in labels and dice.chance(0.5):
            labels[LEVELS[1]] = labels[LEVELS[1]].rsplit('-', 1)[-1]


def silent_nodes(dice, case):
    """Nodes without a condition, without some resource, or with odd amounts."""
    for node in nodes_of(case):
        status = node['status']
        what = dice.pick('conditions', 'cpu', 'pods', 'odd', 'more', 'labels', 'none', 'none')
        if what == 'conditions':
            status['conditions'] = dice.pick([], [{'type': 'MemoryPressure', 'status': 'True'}])
        elif what in ('cpu', 'pods'):
            status['allocatable'].pop(what, None)
        elif what == 'odd':
            status['allocatable'].update(cpu=dice.pick('1500m', '3999m', '0', '2.5'), memory=dice.pick('1e9', '0', '3Gi'))
        elif what == 'more':
            status['capacity'] = {'cpu': '64', 'memory': '64Gi', 'pods': '110'}
        elif what == 'labels':
            node['metadata']['labels'][dice.pick(HOST, *LEVELS)] = ''


def flavors_of_all_nodes(dice, case):
    """Flavors whose labels other flavors' nodes have too, or no node has."""
    for each in case['objects']:
        if each['kind'] == 'ResourceFlavor' and each['spec'].get('topologyName') and dice.chance(0.5):
            each['spec']['nodeLabels'] = dice.pick(
                {'disk': 'ssd'}, {'pool': 'none'}, {'pool': 'x', 'disk': 'ssd'})


def fleeting_taints(dice, case):
    """Taints that Kubernetes itself puts on nodes, and cordons with a toleration."""
    for node in nodes_of(case):
        if dice.chance(0.4):
            key = dice.pick('node.kubernetes.io/not-ready', 'node.kubernetes.io/unschedulable', 'spot')
            node['spec'].setdefault('taints', []).append(
                {'key': key, 'effect': dice.pick('NoSchedule', 'NoExecute')})
        if dice.chance(0.2):
            node['spec']['unschedulable'] = True
    for workload in case['objects']:
        if workload['kind'] != 'Workload' or not dice.chance(0.3):
            continue
        for pod_set in workload['spec']['podSets']:
            pod_set['template']['spec']['tolerations'] = [
                {'key': dice.pick('node.kubernetes.io/unschedulable', 'spot'), 'operator': 'Exists'}]


NODE_TWISTS = [renamed_hosts, racks_of_one_name, silent_nodes, flavors_of_all_nodes, fleeting_taints]
