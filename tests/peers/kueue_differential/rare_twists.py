"""Twists of whole objects: queues without quota, namespaces that nobody made, many groups and pod sets, old files."""
# SPDX-License-Identifier: Apache-2.0
import copy


def of_kind(case, kind):
    return [o for o in case['objects'] if o['kind'] == kind and
            ('kueue' not in o['apiVersion'] or o['apiVersion'].endswith('v1beta2'))]


def old_configuration(dice, case):
    """Kueue's Configuration as its version before wrote it: what is there may be off."""
    config = case.get('config')
    if not config or config['apiVersion'].endswith('v1beta1'):
        return
    config['apiVersion'] = 'config.kueue.x-k8s.io/v1beta1'
    for part in ('fairSharing', 'waitForPodsReady'):
        if part in config:
            config[part]['enable'] = dice.chance(0.8)


def many_pod_sets(dice, case):
    """Gangs of many parts; what is reserved is left alone."""
    for workload in of_kind(case, 'Workload'):
        pod_sets = workload['spec']['podSets'] = copy.deepcopy(workload['spec']['podSets'])
        if 'admission' in workload.get('status', {}) or not dice.chance(0.4) or any('minCount' in s for s in pod_sets):
            continue
        workload.get('status', {}).pop('reclaimablePods', None)
        for index in range(dice.number(3, 9)):
            more = copy.deepcopy(dice.pick(*pod_sets))
            more['name'] = f'more-{index}'
            more['count'] = dice.number(0, 2)
            if 'topologyRequest' in more:
                more['topologyRequest'].pop('podSetGroupName', None)
            pod_sets.append(more)


def queues_of_nothing(dice, case):
    """A queue without quotas, or with flavors of which it has none."""
    for queue in of_kind(case, 'ClusterQueue'):
        if dice.chance(0.4):
            queue['spec'].pop('resourceGroups', None)


def lost_namespaces(dice, case):
    """A namespace that nobody made, or that has no labels."""
    for each in list(case['objects']):
        if each['kind'] != 'Namespace' or not dice.chance(0.5):
            continue
        if dice.chance(0.5):
            case['objects'].remove(each)
        else:
            each['metadata'].pop('labels', None)


def many_groups(dice, case):
    """Each resource that a queue covers in a group of its own, with flavors of its own."""
    for queue in of_kind(case, 'ClusterQueue'):
        groups = copy.deepcopy(queue['spec'].get('resourceGroups', []))
        if not groups or not dice.chance(0.7) or len(groups[0]['coveredResources']) < 2:
            continue
        first = groups[0]
        queue['spec']['resourceGroups'] = groups
        moved = first['coveredResources'].pop()
        quotas = [f['resources'].pop() for f in first['flavors']]
        name = f'own-{moved}'.replace('/', '-')
        groups.append({'coveredResources': [moved], 'flavors': [
            {'name': f'{name}-{i}', 'resources': [quota]} for i, quota in enumerate(quotas[:2])]})
        for i in range(len(quotas[:2])):
            if not any(o['kind'] == 'ResourceFlavor' and o['metadata']['name'] == f'{name}-{i}'
                       for o in case['objects']):
                case['objects'].insert(0, {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'ResourceFlavor',
                                           'metadata': {'name': f'{name}-{i}'}, 'spec': {}})


def leaving_workloads(dice, case):
    """Deleted, and held by a finalizer. (What is deleted cannot be written as if it were not.)"""
    if case.get('steps'):
        return
    for workload in of_kind(case, 'Workload'):
        if dice.chance(0.3):
            workload['metadata']['deletionTimestamp'] = '2025-01-01T09:00:00Z'
            workload['metadata']['finalizers'] = ['kueue.x-k8s.io/resource-in-use']


def shared_weights(dice, case):
    """Fair sharing with weights that leave nothing to compare, in every queue and cohort."""
    config = case.setdefault('config', {'apiVersion': 'config.kueue.x-k8s.io/v1beta2', 'kind': 'Configuration'})
    config.setdefault('fairSharing', {})
    for each in of_kind(case, 'ClusterQueue') + of_kind(case, 'Cohort'):
        each['spec']['fairSharing'] = {'weight': dice.pick('0', '0', '1', '1', '2', '1500m')}


def no_lower_floor(dice, case):
    """Thresholds of borrowWithinCohort at the ends of their range, and priorities beside them."""
    for queue in of_kind(case, 'ClusterQueue'):
        preemption = queue['spec'].setdefault('preemption', {})
        preemption['reclaimWithinCohort'] = dice.pick('Any', 'LowerPriority')
        preemption['borrowWithinCohort'] = {'policy': 'LowerPriority', 'maxPriorityThreshold': dice.pick(
            -2147483648, -1, 0, 1, 2147483647)}
    for workload in of_kind(case, 'Workload'):
        if 'priorityClassRef' not in workload['spec']:
            workload['spec']['priority'] = dice.pick(-1, 0, 1, 2)


RARE_TWISTS = [old_configuration, many_pod_sets, queues_of_nothing, lost_namespaces, many_groups, leaving_workloads,
               shared_weights, no_lower_floor]
