"""A seeded generator of clusters: the same (family, seed) is always the same case.

A case is a request of the oracle: objects, config, now, cycles or untilIdle, noRelease, steps. Amounts are small, so
that workloads contend; creation times and UIDs are distinct, so that ties do not decide.
"""
# SPDX-License-Identifier: Apache-2.0
import random

import cluster
import life
import old_version
import steps
import twists
import workloads
from families import knobs_of

KUEUE = 'kueue.x-k8s.io/v1beta2'
NOW = '2025-01-01T12:00:00Z'

# Gates that change what the decision core does, and can be set either way.
GATES = ['PartialAdmission', 'FlavorFungibility', 'PrioritySortingWithinCohort',
         'FairSharingPreemptWithinNominal', 'FairSharingPrioritizeNonBorrowing',
         'SchedulingEquivalenceHashing', 'ReclaimablePods', 'PriorityBoost', 'QuotaCheckStrategy',
         'FlavorFungibilityPreserveScanProgress', 'PrioritizePreemptorWorkloads',
         'RecomputeAssignmentUponPreemptionTargetsOverlap', 'AdmissionGatedBy',
         'MultiKueueOrchestratedPreemption', 'VectorizedResourceRequests',
         'ElasticJobsViaWorkloadSlices', 'SchedulerTimestampPreemptionBuffer', 'AdmissionFairSharing',
         'UnadmittedWorkloadsExplicitStatus', 'SchedulerLongRequeueInterval']
TOPOLOGY_GATES = ['TASProfileMixed', 'TASBalancedPlacement', 'TASMultiLayerTopology',
                  'TASHandleOverlappingFlavors', 'TASRecomputeAssignmentWithinSchedulingCycle',
                  'TASRespectNodeAffinityPreferred', 'TASFailedNodeReplacement',
                  'TASFailedNodeReplacementFailFast', 'TASCacheNodeMatchResults',
                  'ElasticJobsViaWorkloadSlicesWithTAS', 'TASCachingRemainingResources',
                  'TASCacheTopologyTree', 'TopologyAwareScheduling', 'SkipReassignmentForPodOwnedWorkloads']


class Dice:
    """The random numbers of one case, and the knobs that load them."""

    def __init__(self, family, seed):
        self.random = random.Random(f'{family}/{seed}')
        self.knobs = knobs_of(family, self.random)

    def p(self, knob):
        return self.random.random() < self.knobs[knob]

    def chance(self, probability):
        return self.random.random() < probability

    def range(self, knob):
        return self.random.randint(*self.knobs[knob])

    def number(self, low, high):
        return self.random.randint(low, high)

    def pick(self, *choices):
        return self.random.choice(choices)

    def some(self, items, low=1):
        items = list(items)
        return self.random.sample(items, self.random.randint(min(low, len(items)), len(items)))


def make_case(family, seed):
    dice = Dice(family, seed)
    world = cluster.make_cluster(dice)
    workloads.add_workloads(dice, world)
    case = {'objects': world.objects, 'now': NOW}
    config = make_config(dice, world)
    if config is not None:
        case['config'] = config
    if dice.p('steps'):
        case['cycles'] = dice.number(1, 2)
        case['steps'] = (life if dice.p('life') else steps).make_steps(dice, world)
    elif dice.p('until_idle'):
        case['untilIdle'] = True
    else:
        case['cycles'] = dice.range('cycles')
    if any('unhealthyNodes' in w.get('status', {}) for w in world.workloads):
        # The oracle's API server cannot remove unhealthyNodes, as Kueue's eviction does.
        case.update(cycles=1, untilIdle=False, steps=[])
    old_version.age(dice, world)
    if family == 'twisted':
        twists.twist(dice, case)
    if dice.p('no_release'):
        case['noRelease'] = True
        if case.pop('untilIdle', False):
            case['cycles'] = 3
    return case


def make_config(dice, world):
    config = {}
    if dice.p('fair'):
        config['fairSharing'] = {'preemptionStrategies': dice.pick(
            ['LessThanOrEqualToFinalShare'], ['LessThanInitialShare'],
            ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'])} if dice.p('strategies') else {}
    if dice.p('local_fair'):
        config['admissionFairSharing'] = {
            'usageHalfLifeTime': dice.pick('10m', '168h', '0s'),
            'usageSamplingInterval': dice.pick('5m', '1m')}
        if dice.chance(0.5):
            config['admissionFairSharing']['resourceWeights'] = {
                'cpu': dice.pick(0.0, 1.0, 2.5), 'memory': dice.pick(0.5, 1.0)}
    if dice.p('pods_ready'):
        config['waitForPodsReady'] = {'timeout': '5m', 'blockAdmission': dice.p('block')}
        if dice.chance(0.5):
            config['waitForPodsReady']['requeuingStrategy'] = {
                'timestamp': dice.pick('Creation', 'Eviction')}
    resources = make_resources(dice)
    if resources:
        config['resources'] = resources
    gates = {}
    if dice.p('observability'):
        gates['UnadmittedWorkloadsObservability'] = True
    if dice.p('gates'):
        names = GATES + (TOPOLOGY_GATES * 3 if world.topology else [])
        for name in dice.random.sample(names, dice.number(1, 4)):
            gates[name] = dice.chance(0.5)
    if gates:
        config['featureGates'] = gates
    if not config:
        return None
    return {'apiVersion': 'config.kueue.x-k8s.io/v1beta2', 'kind': 'Configuration', **config}


def make_resources(dice):
    resources = {}
    if dice.p('exclude'):
        resources['excludeResourcePrefixes'] = dice.pick(
            ['ephemeral'], ['example.com/'], ['mem'], ['networking.', 'example.com/x'])
    if dice.p('transform'):
        resources['transformations'] = [dice.pick(
            {'input': 'example.com/slice', 'strategy': 'Replace',
             'outputs': {'example.com/gpu': '500m', 'memory': '1Gi'}},
            {'input': 'example.com/slice', 'strategy': 'Retain', 'outputs': {'cpu': '1'}},
            {'input': 'example.com/slice', 'strategy': 'Replace', 'multiplyBy': 'cpu',
             'outputs': {'memory': '512Mi'}},
            {'input': 'memory', 'strategy': 'Replace', 'outputs': {'cpu': '1n'}},
            {'input': 'cpu', 'strategy': 'Retain', 'outputs': {'example.com/credits': '10'}},
            {'input': 'cpu', 'strategy': 'Retain', 'multiplyBy': 'example.com/slice',
             'outputs': {'example.com/credits': '3'}})]
    if dice.p('ignore_undeclared'):
        resources['quotaCheckStrategy'] = dice.pick('IgnoreUndeclared', 'BlockUndeclared')
    return resources
