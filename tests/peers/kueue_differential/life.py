"""Steps in the life of workloads that hold quota: what their job's controller and others write.

Nobody is preempted in these cases: an admission that is written again over an eviction is another matter.
"""
# SPDX-License-Identifier: Apache-2.0
import copy

import workloads

LATER = 520


def make_steps(dice, world):
    """One to three steps; each changes one to three workloads, none of them twice."""
    held = [w for w in world.workloads if 'admission' in w.get('status', {})]
    dice.random.shuffle(held)
    steps = []
    for _ in range(dice.number(1, 3)):
        step = {'delete': [], 'apply': [], 'cycles': dice.number(1, 2)}
        for _ in range(dice.number(1, 3)):
            if held:
                change = dice.pick(finish, ready, reclaim, rank, deactivate, check, check, evict, release, release,
                                   move, replace, shrink, label)
                change(dice, world, step, copy.deepcopy(held.pop()))
        steps.append(step)
    if world.topology and held and dice.chance(0.5):
        fail_node(dice, world, steps, held)
    return steps


def note(workload, kind, status, reason):
    conditions = workload['status'].setdefault('conditions', [])
    conditions[:] = [c for c in conditions if c['type'] != kind]
    conditions.append(workloads.condition(kind, status, reason, LATER))


def finish(dice, world, step, workload):
    note(workload, 'Finished', 'True', dice.pick('Succeeded', 'Failed', 'OutOfSync'))
    step['apply'].append(workload)


def ready(dice, world, step, workload):
    note(workload, 'PodsReady', dice.pick('True', 'True', 'False'), dice.pick('Started', 'WaitForStart'))
    step['apply'].append(workload)


def reclaim(dice, world, step, workload):
    workload['status']['reclaimablePods'] = [
        {'name': s['name'], 'count': dice.number(0, s['count'])} for s in workload['spec']['podSets']]
    step['apply'].append(workload)


def rank(dice, world, step, workload):
    if 'priorityClassRef' not in workload['spec']:
        workload['spec']['priority'] = dice.number(-5, 9)
        step['apply'].append(workload)


def deactivate(dice, world, step, workload):
    workload['spec']['active'] = False
    step['apply'].append(workload)


def check(dice, world, step, workload):
    """A check changes its mind; the admission may follow it."""
    if not world.checks:
        return
    state = dice.pick('Ready', 'Ready', 'Pending', 'Retry', 'Rejected')
    workload['status']['admissionChecks'] = [
        {'name': name, 'state': state, 'message': '', 'lastTransitionTime': workloads.at(LATER)}
        for name in world.checks]
    if state == 'Ready' and dice.chance(0.6):
        note(workload, 'Admitted', 'True', 'Admitted')
    step['apply'].append(workload)


def evict(dice, world, step, workload):
    """It is asked to stop, and holds its quota."""
    reason = dice.pick('Preempted', 'PodsReadyTimeout', 'AdmissionCheck', 'ClusterQueueStopped', 'NodeFailures')
    note(workload, 'Evicted', 'True', reason)
    if reason == 'Preempted':
        note(workload, 'Preempted', 'True', dice.pick('InClusterQueue', 'InCohortReclamation'))
    step['apply'].append(workload)


def release(dice, world, step, workload):
    """It has stopped: back in its queue, or held back, or switched off."""
    status = workload['status']
    for part in ('admission', 'reclaimablePods', 'unhealthyNodes'):
        status.pop(part, None)
    note(workload, 'QuotaReserved', 'False', 'Pending')
    note(workload, 'Admitted', 'False', 'NoReservation')
    note(workload, 'Evicted', 'True', dice.pick('Preempted', 'PodsReadyTimeout', 'AdmissionCheck', 'Deactivated'))
    note(workload, 'Requeued', dice.pick('True', 'True', 'False'), 'Preempted')
    if dice.chance(0.2):
        status['requeueState'] = {'count': dice.number(1, 3)}
    if dice.chance(0.2):
        workload['spec']['active'] = False
    for each in status.get('admissionChecks', []):
        each['state'] = 'Pending'
    step['apply'].append(workload)


def move(dice, world, step, workload):
    """Its reservation is gone, and it stands in another queue."""
    same = [name for space, name, _ in world.local if space == workload['metadata']['namespace']]
    release(dice, world, step, workload)
    workload['spec']['queueName'] = dice.pick('absent', *same)


def replace(dice, world, step, workload):
    """Deleted, and another of its name comes."""
    metadata = workload['metadata']
    step['delete'].append({'kind': 'Workload', 'namespace': metadata['namespace'], 'name': metadata['name']})
    if dice.chance(0.6):
        metadata['uid'] += '-again'
        workload.pop('status')
        workload['spec']['podSets'][0]['count'] += 1
        step['apply'].append(workload)


def shrink(dice, world, step, workload):
    """Fewer pods of an elastic job, in place."""
    first, assigned = workload['spec']['podSets'][0], workload['status']['admission']['podSetAssignments'][0]
    if first['count'] < 2 or 'topologyAssignment' in assigned or assigned['count'] != first['count']:
        return
    workload['metadata'].setdefault('annotations', {})['kueue.x-k8s.io/elastic-job'] = 'true'
    first['count'] -= 1
    first.pop('minCount', None)
    step['apply'].append(workload)


def label(dice, world, step, workload):
    workload['metadata'].setdefault('labels', {})['team'] = 'x'
    workload['spec']['maximumExecutionTimeSeconds'] = 3600
    step['apply'].append(workload)


def fail_node(dice, world, steps, held):
    """A node of a workload fails, last of all: the oracle's API server cannot take unhealthyNodes away."""
    for workload in held:
        for assignment in workload['status']['admission']['podSetAssignments']:
            where = assignment.get('topologyAssignment')
            if not where or where['levels'] != ['kubernetes.io/hostname']:
                continue
            values = where['slices'][0]['valuesPerLevel'][0]
            if 'individual' not in values:
                continue
            node = dice.pick(*values['individual']['roots'])
            workload = copy.deepcopy(workload)
            workload['status']['unhealthyNodes'] = [{'name': node}]
            step = {'delete': [], 'apply': [workload], 'cycles': 1}
            if world.find('Node', node) and dice.chance(0.7):
                step['delete'].append({'kind': 'Node', 'name': node})
            steps.append(step)
            return
