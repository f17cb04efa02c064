"""Questions to `validate` and `convert`: objects of random clusters with a mistake or two."""
# SPDX-License-Identifier: Apache-2.0
import copy

from generate import Dice, make_case
from families import FAMILIES

ODD_TEXTS = ['', 'Bad_Name', 'a' * 64, 'a' * 254, 'x', '-x', 'None', 'Never', 'Any', 'kubernetes.io/hostname',
             'pods', 'f0', 'TryNextFlavor', 'NoSchedule', '1', 'example.com/a/b']
ODD_NUMBERS = [-1, 0, 1, 7, 2 ** 31, -2 ** 31 - 1, 1000001]
ODD_QUANTITIES = ['-1', '0', '1n', '1e-10', 'x', '5Gi', '1500m', '9999999Ei', 3, 0.5]
EXTRA = [
    {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'MultiKueueConfig', 'metadata': {'name': 'm'},
     'spec': {'clusters': ['c1', 'c2']}},
    {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'MultiKueueCluster', 'metadata': {'name': 'c1'},
     'spec': {'clusterSource': {'kubeConfig': {'location': 's', 'locationType': 'Secret'}}}},
    {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'ProvisioningRequestConfig',
     'metadata': {'name': 'p'}, 'spec': {
         'provisioningClassName': 'check', 'managedResources': ['cpu'], 'parameters': {'a': 'b'},
         'retryStrategy': {'backoffLimitCount': 2, 'backoffBaseSeconds': 30}}},
    {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'WorkloadPriorityClass',
     'metadata': {'name': 'w'}, 'value': 5, 'description': 'd'},
    {'apiVersion': 'kueue.x-k8s.io/v1beta2', 'kind': 'AdmissionCheck', 'metadata': {'name': 'a'},
     'spec': {'controllerName': 'x', 'parameters': {
         'apiGroup': 'kueue.x-k8s.io', 'kind': 'ProvisioningRequestConfig', 'name': 'p'}}},
    {'apiVersion': 'kueue.x-k8s.io/v1beta1', 'kind': 'ClusterQueue', 'metadata': {'name': 'old'},
     'spec': {'cohort': 'all', 'namespaceSelector': {}, 'admissionChecks': ['a'],
              'flavorFungibility': {'whenCanBorrow': 'Borrow', 'whenCanPreempt': 'Preempt'},
              'resourceGroups': [{'coveredResources': ['cpu'], 'flavors': [
                  {'name': 'f', 'resources': [{'name': 'cpu', 'nominalQuota': 3}]}]}]}},
    {'apiVersion': 'kueue.x-k8s.io/v1beta1', 'kind': 'Workload',
     'metadata': {'name': 'old', 'namespace': 'a'}, 'spec': {
         'queueName': 'l', 'priorityClassName': 'w', 'priority': 5,
         'priorityClassSource': 'kueue.x-k8s.io/workloadpriorityclass', 'podSets': [
             {'name': 'main', 'count': 2, 'template': {'spec': {'containers': [
                 {'name': 'c', 'image': 'i', 'resources': {'requests': {'cpu': '1'}}}]}}}]}},
]


def make_question(seed):
    """A request with verb validate (create or update) or convert."""
    dice = Dice('mixed', f'objects/{seed}')
    case = make_case(dice.pick(*sorted(FAMILIES)), f'objects/{seed}')
    choices = [o for o in case['objects'] if o['apiVersion'].startswith('kueue')]
    item = copy.deepcopy(dice.pick(*choices) if dice.chance(0.85) else dice.pick(*EXTRA))
    if dice.chance(0.15):
        version = item['apiVersion'].endswith('v1beta1')
        return {'verb': 'convert', 'object': item,
                'to': f'kueue.x-k8s.io/v1beta{2 if version else 1}'}
    question = {'verb': 'validate', 'object': item}
    if 'config' in case:
        question['config'] = case['config']
    if dice.chance(0.45):
        question['old'] = copy.deepcopy(item)
    for _ in range(dice.pick(0, 1, 1, 1, 2, 3)):
        mutate(dice, item)
    return question


def places(value, path=()):
    """Every (container, key) below the object, but for its identity."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        if path == () and key in ('apiVersion', 'kind', 'metadata'):
            continue
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from places(inner, path + (key,))


def mutate(dice, item):
    found = list(places(item))
    if not found:
        return
    container, key = dice.pick(*found)
    value = container[key]
    what = dice.random.random()
    if what < 0.2:
        del container[key]
    elif isinstance(value, list):
        mutate_list(dice, value)
    elif isinstance(value, bool):
        container[key] = not value
    elif isinstance(value, str):
        container[key] = dice.pick(*ODD_TEXTS) if dice.chance(0.6) or not value[:1].isdigit() \
            else dice.pick(*ODD_QUANTITIES)
    elif isinstance(value, int):
        container[key] = dice.pick(*ODD_NUMBERS)
    elif isinstance(value, dict) and what < 0.3:
        value['unknownField'] = 'x'
    elif isinstance(value, dict) and value:
        name = dice.pick(*sorted(value))
        value[name] = dice.pick(None, 'x', 1, [], {})


def mutate_list(dice, value):
    what = dice.pick('twice', 'many', 'reverse', 'empty')
    if what == 'empty' or not value:
        del value[:]
    elif what == 'twice':
        value.append(copy.deepcopy(dice.pick(*value)))
    elif what == 'many':
        for index in range(dice.pick(2, 8, 16, 20, 64)):
            inner = copy.deepcopy(dice.pick(*value))
            if isinstance(inner, dict) and isinstance(inner.get('name'), str):
                inner['name'] += f'-{index}'
            value.append(inner)
    else:
        value.reverse()


def compare_answers(theirs, ours, verb):
    """[(kind, where, theirs, ours)] like compare.compare; messages are wording."""
    if theirs['ok'] != ours['ok']:
        return [('failure', '', theirs.get('error', 'ok')[:300], ours.get('error', 'ok')[:300])]
    if not theirs['ok']:
        return []
    a, b = theirs['result'], ours['result']
    if verb == 'convert':
        return [('convert', '', a, b)] if a != b else []
    if a['valid'] != b['valid']:
        return [('valid', '', a.get('errors'), b.get('errors'))]
    one, other = (sorted({(e['field'], e['type']) for e in d['errors']}) for d in (a, b))
    if one != other:
        return [('errors', '', a['errors'], b['errors'])]
    one, other = (sorted({(e['field'], e['message']) for e in d['errors']}) for d in (a, b))
    found = [('message', '', one, other)] if one != other else []
    # A server warns of unknown fields; the oracle does not look (compatibility.md).
    one, other = (sorted(w['field'] for w in d.get('warnings') or []
                         if not w['message'].startswith('unknown field')) for d in (a, b))
    if one != other:
        found.append(('warnings', '', a.get('warnings'), b.get('warnings')))
    return found
