"""Makes a case smaller as long as it shows the same disagreement."""
# SPDX-License-Identifier: Apache-2.0
import copy

ASKED_MAX = 1500
# Without these an object is another mistake, and the case another disagreement.
KEPT = {'apiVersion', 'kind', 'name', 'namespace', 'metadata', 'uid', 'podSets', 'template', 'spec',
        'containers', 'resourceGroups', 'flavors', 'coveredResources', 'namespaceSelector',
        'clusterQueue', 'queueName', 'nominalQuota', 'count', 'creationTimestamp', 'levels',
        'nodeLabel', 'type', 'status', 'reason', 'lastTransitionTime', 'message', 'resourceUsage',
        'podSetAssignments', 'domainCount', 'valuesPerLevel', 'podCounts', 'individual', 'roots',
        'slices', 'topologyAssignment', 'cpu', 'topologyName', 'controllerName', 'key', 'operator'}
LISTS_KEPT = {'levels', 'valuesPerLevel', 'roots', 'slices', 'podSetAssignments', 'individual',
              'coveredResources'}


class Shrinker:
    """`shows(case)` is true if the case still disagrees in the same way."""

    def __init__(self, shows, asked_max=ASKED_MAX):
        self.shows, self.left = shows, asked_max

    def accepts(self, case):
        if self.left <= 0:
            return False
        self.left -= 1
        return self.shows(case)

    def shrink(self, case):
        case = copy.deepcopy(case)
        while self.left > 0:
            before = self.left
            size = len(repr(case))
            case = self.run_shorter(case)
            case = self.without_objects(case)
            case = self.without_parts(case)
            if len(repr(case)) == size or before == self.left:
                return case
        return case

    def run_shorter(self, case):
        tries = []
        if case.get('untilIdle'):
            tries += [{'cycles': number} for number in (1, 2, 3)]
        else:
            tries += [{'cycles': number} for number in range(1, case.get('cycles', 1))]
        for change in tries:
            smaller = {k: v for k, v in case.items() if k not in ('untilIdle', 'cycles')} | change
            if self.accepts(smaller):
                case = smaller
                break
        for key in ('config', 'steps', 'noRelease'):
            smaller = {k: v for k, v in case.items() if k != key}
            if key in case and self.accepts(smaller):
                case = smaller
        return case

    def without_objects(self, case):
        size = max(1, len(case['objects']) // 2)
        while size >= 1:
            start = 0
            while start < len(case['objects']):
                objects = case['objects']
                kept = [o for o in objects[start:start + size] if o['kind'] == 'Namespace']
                smaller = {**case, 'objects': objects[:start] + kept + objects[start + size:]}
                if len(kept) < size and self.accepts(smaller):
                    case = smaller
                else:
                    start += size
            size //= 2
        return case

    def without_parts(self, case):
        """Removes keys and elements anywhere below the objects, the steps and the config."""
        for path in list(paths(case)):
            smaller = copy.deepcopy(case)
            if remove(smaller, path) and self.accepts(smaller):
                case = smaller
        return case


def paths(value, path=()):
    """Deepest last; lists from the end, so that earlier indexes stay valid."""
    if isinstance(value, dict):
        for key in list(value):
            if path == () and key in ('now', 'cycles', 'objects'):
                if key == 'objects':
                    yield from paths(value[key], (key,))
                continue
            if key not in KEPT:
                yield path + (key,)
            yield from paths(value[key], path + (key,))
    elif isinstance(value, list):
        for index in reversed(range(len(value))):
            if path != ('objects',):
                yield path + (index,)
            yield from paths(value[index], path + (index,))


def remove(value, path):
    if isinstance(path[-1], int) and path[-2] in LISTS_KEPT:
        return False
    for key in path[:-1]:
        try:
            value = value[key]
        except (KeyError, IndexError):
            return False
    if isinstance(value, list) and len(value) == 1 and path[-2] in KEPT:
        return False
    try:
        del value[path[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True
