"""Changes an object in places: wrong types, bounds, duplicates, combinations that are forbidden."""
# SPDX-License-Identifier: Apache-2.0
import copy
import json

TEXTS = ['', 'a', 'A_b', 'x/y', 'a.io/b', '-', 'UPPER', 'cpu', 'memory', 'pods', 'spot', 'h100',
         'driver', 'workers', 'True', 'Never', 'Any', 'Ready', 'None', 'kubernetes.io/hostname',
         'with space', 'é', '<&>', 'a' * 64, 'b' * 254, 'c' * 317, 'y.io/' + 'n' * 64, 'c1', '1',
         '-1', '0', '1.5', '1n', '0.1n', '100m', '1Gi', '1e3', '-5', '12Zi', '10.', '+5',
         '2025-01-01T00:00:00Z', '2025-13-01T00:00:00Z', '2025-01-01', 'a,b', 'a.io/b, a.io/b',
         'TryNextFlavor', 'MayStopSearch', 'StrictFIFO', 'Preempt', 'NoSchedule', 'In', 'Exists',
         'kueue.x-k8s.io', 'scheduling.k8s.io', 'PriorityClass', 'x' * 33000]
NUMBERS = [0, 1, -1, 2, 3, 5, 100, -100, 1.5, 3.0, 2**31 - 1, 2**31, -2**31 - 1, 2**53, 2**63,
           10**6, 64, 16, 17]
OTHERS = [None, True, False, [], {}, ['a'], {'a': 'b'}, [None], [{}], ['a', 'a']]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, path + (index,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def put(root, path, value):
    at(root, path[:-1])[path[-1]] = value


def usual(dice, value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return dice.choice([value + 1, value - 1, -value, value * 100] + NUMBERS)
    if isinstance(value, str):
        return dice.choice([value + 'x', value + '-', value.upper(), value[:-1]] + TEXTS)
    return copy.deepcopy(value)


def strange(dice):
    return copy.deepcopy(dice.choice(TEXTS + NUMBERS + OTHERS * 3))


def mutate_list(dice, value):
    how = dice.randrange(6)
    if how == 0 and value:
        value.append(copy.deepcopy(dice.choice(value)))
    elif how == 1 and value:
        value.pop(dice.randrange(len(value)))
    elif how == 2:
        value.reverse()
    elif how == 3 and value:
        many = dice.choice([8, 9, 16, 17, 20, 33, 65, 101, 257])
        for index in range(many):
            more = copy.deepcopy(value[0])
            if isinstance(more, dict):
                for key in ('name', 'type', 'key', 'nodeLabel', 'reason'):
                    if isinstance(more.get(key), str):
                        more[key] += str(index)
            elif isinstance(more, str):
                more += str(index)
            value.append(more)
    elif how == 4:
        value.append(strange(dice))
    else:
        value.clear()


def mutate_object(dice, value, schema_fields):
    how = dice.randrange(4)
    if how == 0 and value:
        del value[dice.choice(sorted(value))]
    elif how == 1 and value:
        value[dice.choice(TEXTS)] = copy.deepcopy(value[dice.choice(sorted(value))])
    elif how == 2 and schema_fields:
        name = dice.choice(sorted(schema_fields))
        value[name] = sample(dice, schema_fields[name])
    else:
        value[dice.choice(TEXTS)] = strange(dice)


def sample(dice, schema, depth=0):
    """A value that the schema might take."""
    if dice.random() < 0.05 or depth > 6:
        return strange(dice)
    if 'enum' in schema and dice.random() < 0.9:
        return dice.choice(schema['enum'])
    if schema.get('x-kubernetes-int-or-string'):
        return dice.choice(['1', 2, '100m', '1Gi', '-1', '0'])
    kind = schema.get('type')
    if kind == 'object':
        made = {}
        for name, inner in schema.get('properties', {}).items():
            if name in schema.get('required', []) or dice.random() < 0.3:
                made[name] = sample(dice, inner, depth + 1)
        inner = schema.get('additionalProperties')
        if isinstance(inner, dict):
            for _ in range(dice.randrange(3)):
                made[dice.choice(TEXTS)] = sample(dice, inner, depth + 1)
        return made
    if kind == 'array':
        return [sample(dice, schema.get('items', {}), depth + 1) for _ in range(dice.randrange(3))]
    if kind == 'string':
        if schema.get('format') == 'date-time':
            return dice.choice(['2025-01-01T00:00:00Z', '2025-01-01T00:00:00.5+01:00'])
        return dice.choice(TEXTS)
    if kind == 'integer':
        return dice.choice(NUMBERS[:8])
    if kind == 'boolean':
        return dice.random() < 0.5
    return strange(dice)


def schema_at(schema, path):
    for step in path:
        if schema is None:
            return {}
        if isinstance(step, int):
            schema = schema.get('items', {})
        else:
            extra = schema.get('additionalProperties')
            schema = schema.get('properties', {}).get(step) or (
                extra if isinstance(extra, dict) else {})
    return schema or {}


def mutate(dice, root, schema):
    """One change below spec or status, or of an annotation."""
    paths = [path for path in places(root)
             if path and path[0] not in ('apiVersion', 'kind') and
             (path[0] != 'metadata' or path[:2] == ('metadata', 'annotations') and len(path) == 3)]
    if not paths:
        return
    # Every top-level part as often as its many inner ones.
    shallow = [path for path in paths if len(path) <= 3]
    path = dice.choice(shallow if shallow and dice.random() < 0.3 else paths)
    value = at(root, path)
    roll = dice.random()
    if path[0] == 'metadata':
        put(root, path, dice.choice(TEXTS))
    elif isinstance(value, list) and roll < 0.8:
        mutate_list(dice, value)
    elif isinstance(value, dict) and roll < 0.8:
        mutate_object(dice, value, schema_at(schema, path).get('properties'))
    elif roll < 0.15:
        put(root, path, strange(dice))
    elif roll < 0.25 and isinstance(path[-1], str):
        del at(root, path[:-1])[path[-1]]
    elif roll < 0.35 and 'enum' in schema_at(schema, path):
        put(root, path, dice.choice(schema_at(schema, path)['enum']))
    elif roll < 0.45:
        twins = [p for p in paths if p != path and type(at(root, p)) is type(value)]
        if twins:
            put(root, path, copy.deepcopy(at(root, dice.choice(twins))))
    else:
        put(root, path, usual(dice, value))


def size_of(value):
    return len(json.dumps(value))
