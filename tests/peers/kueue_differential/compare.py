"""What of two plan documents must agree, and how a disagreement is called.

Everything but the wording is an outcome: who is admitted where and with what, who is evicted for whom, what waits
where, and the figures of quota and shares. The order of decisions, the reasons and the messages
are compared and counted apart.
"""
# SPDX-License-Identifier: Apache-2.0

OUTCOMES = ['failure', 'action', 'admitted', 'flavors', 'counts', 'usage', 'domains', 'delayed',
            'borrowing', 'victims', 'requeue', 'queues', 'evicted', 'finished', 'quota', 'shares',
            'cycles']
WORDS = ['order', 'reason', 'message', 'evicted by', 'victim reason']


def compare(theirs, ours):
    """[(kind, where, theirs, ours)]; theirs and ours are answers of the two servers."""
    if not theirs['ok'] or not ours['ok']:
        if theirs['ok'] == ours['ok'] and theirs.get('code') == ours.get('code'):
            return []
        return [('failure', '', theirs.get('error', 'ok')[:300], ours.get('error', 'ok')[:300])]
    a, b = theirs['result'], ours['result']
    found = []
    if len(a['cycles']) != len(b['cycles']):
        found.append(('cycles', '', len(a['cycles']), len(b['cycles'])))
    for one, other in zip(a['cycles'], b['cycles']):
        compare_cycle(one, other, found)
    compare_rest(a, b, found)
    return found


def keyed(decisions):
    return {d['workload']: d for d in decisions}


def compare_cycle(a, b, found):
    mine, yours = keyed(a['decisions']), keyed(b['decisions'])
    number = a['cycle']
    for name, decision in mine.items():
        where = f'cycle {number}: {name}'
        other = yours.get(name)
        if other is None:
            found.append(('action', where, decision['action'], 'no decision'))
        else:
            compare_decision(decision, other, where, found)
    for name, decision in yours.items():
        if name not in mine and decision['action'] != 'Wait':
            found.append(('action', f'cycle {number}: {name}', 'no decision', decision['action']))
    order = [d['workload'] for d in a['decisions']]
    other = [d['workload'] for d in b['decisions'] if d['workload'] in mine]
    if order != other and sorted(order) == sorted(other):
        found.append(('order', f'cycle {number}', order, other))


def compare_decision(a, b, where, found):
    def field(kind, one, other):
        if one != other:
            found.append((kind, where, one, other))

    field('action', a['action'], b['action'])
    if a['action'] != b['action']:
        return
    field('admitted', a.get('admitted'), b.get('admitted'))
    field('borrowing', a.get('borrowing', 0), b.get('borrowing', 0))
    field('requeue', a.get('requeue'), b.get('requeue'))
    one, other = ({v['workload']: v['reason'] for v in d.get('victims', [])} for d in (a, b))
    field('victims', sorted(one), sorted(other))
    if sorted(one) == sorted(other):
        field('victim reason', one, other)
    for name, kind in (('flavors', 'flavors'), ('count', 'counts'), ('resourceUsage', 'usage'),
                       ('topologyAssignment', 'domains'), ('delayedTopologyRequest', 'delayed')):
        field(kind, *({p['name']: p.get(name) for p in d.get('podSets', [])} for d in (a, b)))
    field('reason', a.get('reason', ''), b.get('reason', ''))
    field('message', a.get('message', ''), b.get('message', ''))


def compare_rest(a, b, found):
    def field(kind, one, other):
        if one != other:
            found.append((kind, 'end', one, other))

    one, other = ({q['clusterQueue']: (sorted(q['active']), sorted(q['inadmissible']))
                   for q in d['queues'] if q['active'] or q['inadmissible']} for d in (a, b))
    field('queues', *difference(one, other))
    one, other = (sorted((e['workload'], e['reason'], e.get('underlying', '')) for e in d['evicted'])
                  for d in (a, b))
    field('evicted', one, other)
    if one == other:
        field('evicted by', *(sorted((e['workload'], e.get('by', '')) for e in d['evicted'])
                              for d in (a, b)))
    field('finished', *(sorted((e['workload'], e['reason']) for e in d['finished'])
                        for d in (a, b)))
    one, other = ({(q['node'], q['flavor'], q['resource']): [
        q[k] for k in ('nominal', 'subtree', 'usage', 'available', 'potential')]
        for q in d['quota']} for d in (a, b))
    field('quota', *difference(one, other))
    one, other = ({s['node']: [s[k] for k in ('dominantResource', 'share', 'weightedShare', 'weight')]
                   for s in d['shares']} for d in (a, b))
    field('shares', *difference(one, other))
    field('cycles', a.get('bound'), b.get('bound'))


def difference(one, other):
    """Only the entries in which two dictionaries differ."""
    keys = [k for k in sorted(set(one) | set(other)) if one.get(k) != other.get(k)]
    return {str(k): one.get(k) for k in keys}, {str(k): other.get(k) for k in keys}


def outcomes(found):
    return [f for f in found if f[0] in OUTCOMES]


def best(theirs, ours):
    """The comparison with the likest of the outcomes that Kueue may choose among."""
    choices = [compare(theirs, ours)]
    if theirs['ok']:
        choices += [compare({'ok': True, 'result': other}, ours)
                    for other in theirs['result'].get('alternatives', [])]
    found = min(choices, key=lambda c: (len(outcomes(c)), len(c)))
    if theirs['ok'] and theirs['result'].get('nondeterministicOrder'):
        found = [f for f in found if f[0] != 'order']
    return found
