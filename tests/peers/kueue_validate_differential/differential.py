#!/usr/bin/env python3
"""Kueue's own validation and conversion beside Muster's, on objects with random mistakes.

  ./run [--cases N] [--seed S] [--convert]      a disagreement is shrunk and printed
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import collections

import mutate
import samples

GATES = ['AdmissionGatedBy', 'ConcurrentAdmission', 'ElasticJobsViaWorkloadSlices',
         'PartialAdmission', 'PriorityBoost', 'RejectUpdatesToCQWithInvalidOnFlavors',
         'WorkloadValidateResourcesAreNonNegative', 'TASValidateWorkloadSliceSize',
         'WorkloadValidationForPodSetMetadata', 'TopologyAwareScheduling']
ALONE_SHOWN_MAX = 4
HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME', pathlib.Path.home() / '.cache'))


class Server:
    def __init__(self, command):
        self.command = command
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ''
        if not line:
            self.start()
            return {'ok': False, 'error': 'died'}
        return json.loads(line)


def sorted_choices(match):
    return match.group(1) + ', '.join(sorted(match.group(2).split(', ')))


def plain(message):
    """Without what Kueue itself leaves to chance: the order of sets, an address in a number."""
    message = re.sub(r'is not a multiple of \d+', 'is not a multiple of N', message)
    message = re.sub(r'(supported values: )(.*)$', sorted_choices, message)
    return re.sub(r'(ClusterQueue: )\[(.*)\]$',
                  lambda m: m.group(1) + ' '.join(sorted(m.group(2).split())), message)


def outcome(verb, answer):
    if not answer['ok']:
        return 'refused'
    result = answer['result']
    if verb == 'convert':
        return result
    errors = sorted((e['field'], e['type'], plain(e['message'])) for e in result['errors'])
    warnings = sorted(w['message'] for w in result['warnings']
                      if not w['message'].startswith('unknown field'))
    return {'errors': errors, 'warnings': warnings}


class Run:
    def __init__(self, arguments):
        self.kueue = Server([arguments.oracle, 'serve'])
        self.muster = Server(arguments.ours.split())
        self.schemas = json.loads((CACHE / 'kueue-oracle/kueue-crds.json').read_text())
        self.samples = samples.samples()

    def schema_of(self, obj):
        return self.schemas[obj['apiVersion'].split('/')[1] + '/' + obj['kind']]

    def case(self, dice, convert):
        base = copy.deepcopy(dice.choice(self.samples))
        if dice.random() < 0.15:
            made = mutate.sample(dice, self.schema_of(base))
            made = made if isinstance(made, dict) else {}
            base = {**made, **{key: base[key] for key in ('apiVersion', 'kind', 'metadata')}}
        request = {'verb': 'convert' if convert else 'validate', 'object': base}
        old = copy.deepcopy(base)
        for _ in range(dice.choice([0, 1, 1, 1, 2, 3])):
            mutate.mutate(dice, base, self.schema_of(base))
        if convert:
            request['to'] = dice.choice([samples.V1, samples.V2])
            return request
        if dice.random() < 0.5:
            request['old'] = self.stored(dice, old) if dice.random() < 0.4 else old
        if dice.random() < 0.3:
            gates = {name: dice.random() < 0.5 for name in dice.sample(GATES, 3)}
            request['config'] = {'apiVersion': 'config.kueue.x-k8s.io/v1beta2',
                                 'kind': 'Configuration', 'featureGates': gates}
        return request

    def stored(self, dice, old):
        """Another object that a server would have taken."""
        changed = copy.deepcopy(old)
        mutate.mutate(dice, changed, self.schema_of(changed))
        answer = self.kueue.ask({'verb': 'validate', 'object': changed})
        return changed if answer['ok'] and answer['result']['valid'] else old

    def both(self, request):
        verb = request['verb']
        return (outcome(verb, self.kueue.ask(request)), outcome(verb, self.muster.ask(request)))

    def differs(self, request):
        theirs, ours = self.both(request)
        return theirs != ours

    def shrink(self, request):
        """Drops whatever is not needed for the two to disagree."""
        best = request
        tries = 0
        progress = True
        while progress and tries < 400:
            progress = False
            paths = sorted(mutate.places(best), key=lambda p: (len(p), str(p)))
            for path in paths:
                if not path or path[-1] in ('apiVersion', 'kind', 'verb', 'object', 'to'):
                    continue
                smaller = copy.deepcopy(best)
                try:
                    del mutate.at(smaller, path[:-1])[path[-1]]
                    twin = ('old',) + path[1:]
                    if path[0] == 'object' and 'old' in smaller:
                        try:
                            del mutate.at(smaller, twin[:-1])[twin[-1]]
                        except (KeyError, IndexError, TypeError):
                            pass
                except (KeyError, IndexError, TypeError):
                    continue
                tries += 1
                if self.differs(smaller):
                    best, progress = smaller, True
                    break
        return best


def show(request, theirs, ours):
    print(json.dumps(request, ensure_ascii=False)[:1500])
    if isinstance(theirs, dict) and 'errors' in theirs and isinstance(ours, dict):
        for name in ('errors', 'warnings'):
            for who, mine, other in (('Kueue: ', theirs, ours), ('Muster:', ours, theirs)):
                alone = [entry for entry in mine[name] if entry not in other[name]]
                for entry in alone[:ALONE_SHOWN_MAX]:
                    print('   only', who, str(entry)[:1500])
        if theirs['errors'] != ours['errors'] and set(theirs['errors']) == set(ours['errors']):
            print('   the same errors, not as often')
    else:
        print('   Kueue: ', json.dumps(theirs, sort_keys=True)[:2500])
        print('   Muster:', json.dumps(ours, sort_keys=True)[:2500])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--cases', type=int, default=5000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--show', type=int, default=10, help='disagreements to print')
    parser.add_argument('--convert', action='store_true')
    parser.add_argument('--no-shrink', action='store_true')
    parser.add_argument('--oracle', default=str(CACHE / 'kueue-oracle/kueue-oracle'))
    parser.add_argument('--ours', default=str(HERE / '../../../build/release/bin/kueue_validate_answers'))
    arguments = parser.parse_args()
    run = Run(arguments)
    different, invalid, kinds = 0, 0, collections.Counter()
    for number in range(arguments.cases):
        dice = random.Random(arguments.seed * 1_000_003 + number)
        request = run.case(dice, arguments.convert)
        theirs, ours = run.both(request)
        invalid += theirs == 'refused' or bool(isinstance(theirs, dict) and theirs.get('errors'))
        if theirs == ours:
            continue
        different += 1
        kinds[request['object']['kind']] += 1
        if different <= arguments.show:
            print(f'--- case {number}')
            small = request if arguments.no_shrink else run.shrink(request)
            show(small, *run.both(small))
    agreed = 100 * (arguments.cases - different) / arguments.cases
    print(f'{arguments.cases} cases, {invalid} of them not valid: {different} disagreements, '
          f'{agreed:.3f} % agreement {dict(kinds)}')
    return different > arguments.cases // 1000


if __name__ == '__main__':
    sys.exit(main())
