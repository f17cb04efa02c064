"""The families of cases: which features of Kueue a case is likely to use.

Every knob is the probability that a generated object uses the feature, or a (low, high) range of a
count. A family is the base with some knobs turned; `mixed` turns many at random. The name of the
family in a report says which part of the core disagrees.
"""
# SPDX-License-Identifier: Apache-2.0

BASE = {
    # the queues
    'queues': (1, 5), 'cohorts': (0, 1), 'cohort_object': 0.5, 'cohort_quota': 0.3,
    'cohort_limit': 0.2, 'in_cohort': 0.8, 'cohort_cycle': 0.0,
    'borrowing_limit': 0.2, 'lending_limit': 0.2, 'zero_nominal': 0.15, 'tight': 0.6,
    'strict': 0.3, 'selector': 0.05, 'stop_queue': 0.02, 'stop_local': 0.02, 'missing_queue': 0.01,
    'second_local': 0.3, 'odd_unit': 0.1, 'huge': 0.01, 'ample': 0.0, 'more_resources': 0.0,
    # the flavors
    'flavors': (1, 2), 'taint': 0.0, 'label': 0.3, 'toleration': 0.0, 'selector_pod': 0.0,
    'affinity_pod': 0.0, 'second_group': 0.1, 'memory': 0.3, 'pods': 0.05, 'missing_flavor': 0.0,
    'fungibility': 0.3, 'undeclared': 0.02, 'cohort_only_flavor': 0.0,
    # preemption
    'within': 0.5, 'reclaim': 0.5, 'borrow_within': 0.2,
    # fair sharing
    'fair': 0.0, 'weight': 0.3, 'zero_weight': 0.05, 'strategies': 0.3,
    # the workloads
    'workloads': (2, 10), 'pod_sets': (1, 2), 'pending': 0.6, 'not_admitted': 0.05,
    'evicted': 0.0, 'evicted_pending': 0.03, 'requeue': 0.03, 'future': 0.0, 'finished': 0.02, 'inactive': 0.02,
    'gated': 0.01, 'min_count': 0.0, 'reclaimable': 0.0, 'group': 0.0, 'zero_count': 0.02,
    'priority': 0.7, 'low_running': 0.5, 'priority_class': 0.05, 'negative': 0.05, 'similar': 0.2, 'boost': 0.0,
    'preemption_gate': 0.0,
    # requests
    'init': 0.0, 'sidecar': 0.0, 'overhead': 0.0, 'runtime_class': 0.0, 'limits_only': 0.0,
    'limit_range': 0.0, 'pod_level': 0.0, 'transform': 0.0, 'exclude': 0.0, 'ignore_undeclared': 0.0,
    'bad_limits': 0.0,
    # checks, fair sharing between local queues, slices, ready pods
    'check': 0.0, 'check_state': 0.0, 'inactive_check': 0.0, 'provisioning': 0.0,
    'local_fair': 0.0, 'elastic': 0.0, 'pods_ready': 0.0, 'block': 0.0,
    # steps in the life of workloads that hold quota
    'life': 0.0,
    # topologies
    'topology': 0.0, 'plain_flavor': 0.15, 'nodes': (3, 12), 'hosts': 0.8, 'levels': (1, 3),
    'required': 0.3, 'preferred': 0.3, 'unconstrained': 0.2, 'slices': 0.0, 'nested': 0.0,
    'leader': 0.0, 'node_taint': 0.1, 'node_bad': 0.1, 'other_pod': 0.1, 'unhealthy': 0.0,
    'overlap': 0.0, 'uneven': 0.3, 'preferred_affinity': 0.0, 'node_label': 0.5,
    # the run
    'cycles': (1, 3), 'until_idle': 0.3, 'no_release': 0.05, 'steps': 0.0, 'observability': 0.5,
    'gates': 0.0, 'old_version': 0.03, 'bare': 0.03,
}

FLAVORS = {'flavors': (2, 4), 'taint': 0.3, 'label': 0.8, 'toleration': 0.2, 'selector_pod': 0.3,
           'affinity_pod': 0.2, 'second_group': 0.4, 'memory': 0.5, 'fungibility': 0.8}
PREEMPTION = {'within': 0.9, 'reclaim': 0.9, 'pending': 0.4, 'workloads': (4, 12), 'cohorts': (1, 1),
              'tight': 0.9, 'low_running': 0.8}
TREE = {'cohorts': (2, 6), 'queues': (2, 6), 'cohort_object': 0.95, 'cohort_quota': 0.5,
        'cohort_limit': 0.4, 'borrowing_limit': 0.35, 'lending_limit': 0.35}
TOPOLOGY = {'topology': 1.0, 'queues': (1, 3), 'zero_nominal': 0.0, 'tight': 0.1,
            'workloads': (1, 6), 'zero_count': 0.0, 'huge': 0.0, 'ample': 0.8}

FAMILIES = {
    # requeueAt is compared with the real clock by Kueue's queues: far ahead, and never evicted
    'queueing': {'future': 0.5, 'within': 0.0, 'reclaim': 0.0, 'queues': (1, 3), 'strict': 0.5, 'selector': 0.2, 'stop_queue': 0.08,
                 'stop_local': 0.08, 'missing_queue': 0.06, 'requeue': 0.15, 'finished': 0.05,
                 'evicted_pending': 0.2, 'inactive': 0.06, 'gated': 0.06, 'similar': 0.5,
                 'workloads': (4, 14), 'pending': 0.8, 'until_idle': 0.6, 'pods_ready': 0.3,
                 'missing_flavor': 0.04},
    'quota': {**TREE, 'within': 0.1, 'reclaim': 0.1, 'pending': 0.6},
    'flavors': {**FLAVORS, 'undeclared': 0.1, 'missing_flavor': 0.04},
    'fungibility': {**FLAVORS, **PREEMPTION, 'taint': 0.05, 'selector_pod': 0.05,
                    'until_idle': 0.6},
    'preemption': PREEMPTION,
    'hierarchy': {**TREE, **PREEMPTION, 'cohorts': (2, 6), 'queues': (3, 7)},
    'borrow_within': {**PREEMPTION, 'borrow_within': 0.9, 'reclaim': 1.0, 'queues': (2, 5)},
    'hierarchy_flavors': {**TREE, **PREEMPTION, **FLAVORS, 'cohorts': (2, 5), 'borrow_within': 0.4,
                          'cohort_only_flavor': 0.2, 'cohort_cycle': 0.05},
    'fair': {**PREEMPTION, 'fair': 1.0, 'queues': (2, 6), 'zero_nominal': 0.3, 'weight': 0.5},
    'fair_hierarchy': {**TREE, **PREEMPTION, 'fair': 1.0, 'cohorts': (2, 6), 'queues': (3, 7),
                       'weight': 0.5},
    'fair_flavors': {**PREEMPTION, **FLAVORS, **TREE, 'fair': 1.0, 'zero_weight': 0.1},
    'partial': {**PREEMPTION, 'min_count': 0.7, 'flavors': (1, 3), 'pending': 0.5},
    'requests': {'init': 0.4, 'sidecar': 0.3, 'overhead': 0.15, 'runtime_class': 0.15,
                 'limits_only': 0.2, 'limit_range': 0.15, 'pod_level': 0.15, 'transform': 0.3,
                 'exclude': 0.15, 'ignore_undeclared': 0.2, 'undeclared': 0.15, 'bad_limits': 0.05,
                 'memory': 0.7, 'pods': 0.3, 'reclaimable': 0.2, 'odd_unit': 0.4, 'ample': 0.5,
                 'more_resources': 0.7},
    'pod_sets': {**FLAVORS, 'pod_sets': (2, 4), 'group': 0.4, 'min_count': 0.2,
                 'reclaimable': 0.2, 'pods': 0.2, 'ample': 0.4},
    'checks': {'check': 0.8, 'check_state': 0.4, 'inactive_check': 0.05, 'provisioning': 0.2,
               'flavors': (1, 3), 'not_admitted': 0.3, 'within': 0.7},
    'local_fair': {**PREEMPTION, 'local_fair': 1.0, 'second_local': 0.9, 'queues': (1, 3),
                   'until_idle': 0.6, 'weight': 0.4},
    'elastic': {**PREEMPTION, 'elastic': 0.7, 'flavors': (1, 3), 'topology': 0.1},
    'reclaimable': {**PREEMPTION, 'reclaimable': 0.5, 'evicted': 0.1},
    'evicted': {**PREEMPTION, 'evicted': 0.3, 'evicted_pending': 0.2, 'no_release': 0.4,
                'requeue': 0.1, 'reclaimable': 0.1, 'fair': 0.3, 'cycles': (1, 4)},
    'pods_ready': {'pods_ready': 1.0, 'block': 0.7, 'pending': 0.6, 'evicted_pending': 0.2,
                   'requeue': 0.1},
    'gates': {**PREEMPTION, **FLAVORS, 'gates': 1.0, 'fair': 0.3, 'min_count': 0.2,
              'borrow_within': 0.4, 'boost': 0.2, 'preemption_gate': 0.15, 'until_idle': 0.5,
              'cohorts': (1, 4)},
    'steps': {**PREEMPTION, 'steps': 1.0, 'flavors': (1, 3), 'queues': (1, 4), 'pending': 0.5,
              'cohorts': (0, 3), 'similar': 0.4},
    'topology': {**TOPOLOGY, 'topology': 1.0},
    'topology_slices': {**TOPOLOGY, 'slices': 0.8, 'nested': 0.3, 'nodes': (4, 14),
                        'levels': (2, 4)},
    'topology_leader': {**TOPOLOGY, 'leader': 0.9, 'slices': 0.3, 'pod_sets': (2, 3),
                        'nodes': (3, 12)},
    'topology_preemption': {**TOPOLOGY, 'within': 0.9, 'reclaim': 0.9, 'pending': 0.4,
                            'workloads': (4, 12), 'cohorts': (1, 2), 'fair': 0.25, 'tight': 0.4,
                            'slices': 0.15},
    'topology_nodes': {**TOPOLOGY, 'unhealthy': 0.5, 'pending': 0.4, 'node_taint': 0.3,
                       'node_bad': 0.3, 'slices': 0.2, 'other_pod': 0.3, 'workloads': (2, 6)},
    'topology_repair': {**TOPOLOGY, 'unhealthy': 0.7, 'leader': 0.4, 'group': 0.5, 'pod_sets': (2, 4), 'slices': 0.3,
                        'nested': 0.2, 'pending': 0.4, 'nodes': (4, 12), 'levels': (1, 3)},
    'topology_flavors': {**TOPOLOGY, 'flavors': (2, 3), 'overlap': 0.5, 'plain_flavor': 0.3,
                         'fungibility': 0.8, 'pod_sets': (1, 3), 'provisioning': 0.15,
                         'check': 0.15, 'selector_pod': 0.2, 'affinity_pod': 0.2,
                         'toleration': 0.2, 'taint': 0.1},
    'topology_gates': {**TOPOLOGY, 'gates': 1.0, 'slices': 0.3, 'leader': 0.2,
                       'preferred_affinity': 0.3, 'preferred': 0.5, 'nodes': (3, 12),
                       'elastic': 0.15},
    'topology_requests': {**TOPOLOGY, 'init': 0.2, 'transform': 0.3, 'exclude': 0.3,
                          'reclaimable': 0.2, 'overhead': 0.2, 'min_count': 0.3, 'group': 0.3,
                          'pod_sets': (1, 3), 'memory': 0.6, 'more_resources': 0.6},
    'topology_steps': {**TOPOLOGY, 'steps': 1.0, 'other_pod': 0.3, 'unhealthy': 0.1,
                       'within': 0.7},
    'crowd': {**PREEMPTION, 'queues': (4, 9), 'workloads': (20, 40), 'cohorts': (1, 4),
              'until_idle': 0.9, 'flavors': (1, 3), 'fair': 0.3, 'borrow_within': 0.3},
    'topology_crowd': {**TOPOLOGY, 'nodes': (15, 40), 'workloads': (8, 20), 'levels': (2, 4),
                       'until_idle': 0.9, 'within': 0.7, 'slices': 0.2, 'leader': 0.1,
                       'pod_sets': (1, 2)},
    'old_version': {**PREEMPTION, 'old_version': 0.7, 'priority_class': 0.4, 'bare': 0.2,
                    'fungibility': 0.6, 'topology': 0.2, 'check': 0.2},
    'mixed': {},
    # what is written of workloads that hold quota: life.py
    'life': {'life': 1.0, 'steps': 1.0, 'within': 0.0, 'reclaim': 0.0, 'stop_queue': 0.0, 'stop_local': 0.0,
             'pending': 0.4, 'flavors': (1, 3), 'check': 0.5, 'not_admitted': 0.3, 'pods_ready': 0.3, 'block': 0.4,
             'similar': 0.4, 'workloads': (5, 12), 'reclaimable': 0.1},
    'topology_life': {**TOPOLOGY, 'life': 1.0, 'steps': 1.0, 'within': 0.0, 'reclaim': 0.0, 'stop_queue': 0.0,
                      'stop_local': 0.0, 'pending': 0.4, 'workloads': (4, 10), 'slices': 0.3, 'provisioning': 0.2,
                      'check': 0.2, 'not_admitted': 0.3, 'other_pod': 0.2},
    # another family with what no family makes: twists.py
    'twisted': {},
    # another family, in which things change after the first cycles
    'moving': {},
}

BORROWING = {'mixed', 'twisted', 'moving'}


def knobs_of(family, dice):
    """The knobs of a family; `mixed` joins three others, `twisted` and `moving` take one."""
    if family not in BORROWING:
        return {**BASE, **FAMILIES[family]}
    knobs = dict(BASE)
    for name in dice.sample(sorted(set(FAMILIES) - BORROWING), 3 if family == 'mixed' else 1):
        knobs.update(FAMILIES[name])
    if family == 'moving':
        knobs.update(steps=1.0)
    return knobs
