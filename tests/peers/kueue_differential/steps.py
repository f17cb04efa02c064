"""Steps after the first cycles: what changes in a cluster while its scheduler runs."""
# SPDX-License-Identifier: Apache-2.0
import copy

import cluster
import workloads


def make_steps(dice, world):
    """One to three steps; each changes one to three things. Nothing is changed twice."""
    touched = set()
    return [make_step(dice, world, touched) for _ in range(dice.number(1, 3))]


def make_step(dice, world, touched):
    step = {'delete': [], 'apply': [], 'cycles': dice.number(1, 2)}
    for _ in range(dice.number(1, 3)):
        change = dice.pick(delete_workload, delete_workload, new_workload, new_workload,
                           change_queue, change_queue, change_cohort, change_flavor, change_local,
                           change_node, change_node, delete_other, change_workload,
                           change_workload, change_state, change_rules, change_pod)
        change(dice, world, step, touched)
    return step


def claim(item, touched):
    key = (item['kind'], item['metadata'].get('namespace'), item['metadata']['name'])
    if key in touched:
        return False
    touched.add(key)
    return True


def delete(item, step):
    metadata = item['metadata']
    entry = {'kind': item['kind'], 'name': metadata['name']}
    if 'namespace' in metadata:
        entry['namespace'] = metadata['namespace']
    step['delete'].append(entry)


def any_of(dice, world, kind, touched):
    items = [item for item in world.objects if item['kind'] == kind]
    if not items:
        return None
    item = dice.pick(*items)
    return item if claim(item, touched) else None


def delete_workload(dice, world, step, touched):
    item = any_of(dice, world, 'Workload', touched)
    if item:
        delete(item, step)


def new_workload(dice, world, step, touched):
    index = len(world.workloads)
    if index >= len(world.uids):
        return
    item, queue = workloads.new_workload(dice, world, index)
    item['metadata']['name'] = f'new{index}-{len(touched)}'
    if claim(item, touched):
        if dice.chance(0.15) and dice.knobs['pending'] < 1:  # nobody holds quota below a circle
            workloads.reserve(dice, world, item, queue, index)
        world.workloads.append(item)
        step['apply'].append(item)


def change_workload(dice, world, step, touched):
    """A workload that is pending from the start: its priority, activity or pods change."""
    item = any_of(dice, world, 'Workload', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    reserved = 'admission' in item.get('status', {})
    what = dice.pick('priority', 'finish', 'active', 'pods')
    if what == 'priority':
        item['spec']['priority'] = dice.number(-2, 6)
    elif what == 'finish':
        item.setdefault('status', {}).setdefault('conditions', []).append(
            workloads.condition('Finished', 'True', 'Succeeded', 500))
    elif reserved:
        item['status']['reclaimablePods'] = [
            {'name': s['name'], 'count': s['count']} for s in item['spec']['podSets'][:1]]
    elif what == 'active':
        item['spec']['active'] = not item['spec'].get('active', True)
    else:
        pod_set = item['spec']['podSets'][0]
        pod_set['count'] = dice.number(1, 3)
        if 'minCount' in pod_set:  # more than the count is refused; the oracle refuses nothing
            pod_set['minCount'] = min(pod_set['minCount'], pod_set['count'])
    step['apply'].append(item)


def change_queue(dice, world, step, touched):
    item = any_of(dice, world, 'ClusterQueue', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    spec = item['spec']
    what = dice.pick('quota', 'quota', 'quota', 'stop', 'cohort', 'preemption', 'delete')
    if what == 'quota':
        for group in spec['resourceGroups']:
            for flavor in group['flavors']:
                for quota in flavor['resources']:
                    quota['nominalQuota'] = cluster.amount(dice, quota['name'], 16)
                    quota.pop('lendingLimit', None)
    elif what == 'stop':
        spec['stopPolicy'] = dice.pick('None', 'Hold', 'HoldAndDrain')
    elif what == 'cohort' and world.cohorts:
        spec['cohortName'] = dice.pick(*world.cohorts)
    elif what == 'preemption':
        cluster.add_preemption(dice, spec)
    elif what == 'delete':
        delete(item, step)
        return
    step['apply'].append(item)


def change_cohort(dice, world, step, touched):
    item = any_of(dice, world, 'Cohort', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    if dice.chance(0.3):
        delete(item, step)
        return
    item['spec']['resourceGroups'] = cluster.groups_of(dice, world, 'parentName' in item['spec'])[1]
    step['apply'].append(item)


def change_flavor(dice, world, step, touched):
    item = any_of(dice, world, 'ResourceFlavor', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    if dice.chance(0.2):
        delete(item, step)
        return
    if item['spec'].get('nodeTaints'):
        del item['spec']['nodeTaints']
    else:
        item['spec']['nodeTaints'] = [{'key': 'late', 'value': 'true', 'effect': 'NoSchedule'}]
    step['apply'].append(item)


def change_local(dice, world, step, touched):
    item = any_of(dice, world, 'LocalQueue', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    if dice.chance(0.3):
        delete(item, step)
        return
    item['spec']['stopPolicy'] = dice.pick('None', 'Hold', 'HoldAndDrain')
    step['apply'].append(item)


def change_node(dice, world, step, touched):
    item = any_of(dice, world, 'Node', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    what = dice.pick('delete', 'unready', 'cordon', 'grow', 'add')
    if what == 'delete':
        delete(item, step)
        return
    if what == 'unready':
        item['status']['conditions'][0]['status'] = 'False'
    elif what == 'cordon':
        item['spec']['unschedulable'] = True
    elif what == 'grow':
        item['status']['allocatable']['cpu'] = str(dice.number(1, 12))
    else:
        name = f'{item["metadata"]["name"]}-new'
        item['metadata'].update(name=name, uid=f'node-{name}')
        item['metadata']['labels']['kubernetes.io/hostname'] = name
    step['apply'].append(item)


def delete_other(dice, world, step, touched):
    item = any_of(dice, world, dice.pick('Pod', 'AdmissionCheck', 'Topology'), touched)
    if item:
        delete(item, step)


def change_state(dice, world, step, touched):
    """What others write into a workload that has no quota: checks, readiness, a hold, another queue.
    (The oracle hears nothing of changes of the metadata alone, Kueue does.)"""
    item = any_of(dice, world, 'Workload', touched)
    if not item or 'admission' in item.get('status', {}):
        return  # an old admission would be written over an eviction of the cycles before
    item = copy.deepcopy(item)
    status = item.setdefault('status', {})
    conditions = status.setdefault('conditions', [])
    what = dice.pick('checks', 'ready', 'hold', 'queue')
    if what == 'checks' and world.checks:
        status['admissionChecks'] = [
            {'name': name, 'state': dice.pick('Pending', 'Ready', 'Ready', 'Retry', 'Rejected'),
             'message': '', 'lastTransitionTime': workloads.at(500)} for name in world.checks]
    elif what == 'ready':
        status['conditions'] = [c for c in conditions if c['type'] != 'PodsReady'] + [
            workloads.condition('PodsReady', dice.pick('True', 'False'), 'Started', 500)]
    elif what == 'hold':
        status['conditions'] = [c for c in conditions if c['type'] != 'QuotaReserved'] + [
            workloads.condition('QuotaReserved', 'False', dice.pick('OnHold', 'Pending'), 500)]
    elif what == 'queue':
        same = [name for space, name, _ in world.local if space == item['metadata']['namespace']]
        item['spec']['queueName'] = dice.pick('absent', *same)
    step['apply'].append(item)


def change_rules(dice, world, step, touched):
    """What many workloads depend on: overheads, checks, fair weights. (The oracle hears nothing of
    the labels of a namespace nor of LimitRanges after the first cycle, Kueue does.)"""
    kind = dice.pick('RuntimeClass', 'AdmissionCheck', 'LocalQueue')
    item = any_of(dice, world, kind, touched)
    if not item:
        return
    item = copy.deepcopy(item)
    if kind == 'RuntimeClass':
        item['overhead'] = {'podFixed': {'cpu': dice.pick('0', '2')}}
    elif kind == 'AdmissionCheck':
        active = item['status']['conditions'][0]
        active['status'] = 'False' if active['status'] == 'True' else 'True'
    else:
        item['spec']['fairSharing'] = {'weight': cluster.weight(dice)}
    step['apply'].append(item)


def change_pod(dice, world, step, touched):
    """A pod that is not Kueue's ends, or another one comes."""
    item = any_of(dice, world, 'Pod', touched)
    if not item:
        return
    item = copy.deepcopy(item)
    if dice.chance(0.5):
        item['status'] = {'phase': dice.pick('Succeeded', 'Failed')}
    else:
        item['metadata'].update(name=item['metadata']['name'] + '-new', uid='pod-new-' + item['metadata']['name'])
    step['apply'].append(item)
