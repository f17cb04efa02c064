#!/usr/bin/env python3
"""Asks Kueue and Muster the same questions and says where they disagree.

  differential.py --cases 2000 [--family preemption] [--first SEED] [--shrink 10]
  differential.py --case preemption/17          one case, shrunk where it disagrees
  differential.py --scenarios                   tests/scenarios/decide: is what they expect what Kueue does?
  differential.py --oracle-only --cases 1000    only what the cases make Kueue do

Exit status: 0 if agreement is at least the bar (99.9 %), else 1; 2 if a program is not there.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import json
import os
import pathlib
import shutil
import sys
import time

import yaml

from answers import Server
from compare import WORDS, best, outcomes
from families import FAMILIES
from generate import make_case
from objects import compare_answers, make_question
from shrink import Shrinker

ROOT = pathlib.Path(__file__).resolve().parents[3]
AGREEMENT_MIN = 0.999
REPEAT = 12


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--oracle', default=os.environ.get(
        'MUSTER_KUEUE_ORACLE', '~/.cache/kueue-oracle/kueue-oracle'))
    parser.add_argument('--ours', default=os.environ.get(
        'MUSTER_ANSWERS', str(ROOT / 'build/release/bin/plan_server')))
    parser.add_argument('--cases', type=int, default=int(os.environ.get('MUSTER_PEER_CASES', 3200)))
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--family', action='append')
    parser.add_argument('--case', action='append')
    parser.add_argument('--scenarios', action='store_true')
    parser.add_argument('--shrink', type=int, default=5, help='how many disagreements to shrink')
    parser.add_argument('--out', default=str(ROOT / 'build/differential'))
    parser.add_argument('--oracle-only', action='store_true')
    parser.add_argument('--words', action='store_true', help='shrink differences of wording too')
    return parser.parse_args()


class Run:
    """The two servers, and what was found."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.out = pathlib.Path(arguments.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.kueue = Server([os.path.expanduser(arguments.oracle), 'serve'], self.out / 'kueue.log')
        self.muster = Server(arguments.ours.split(), self.out / 'muster.log')
        self.asked = collections.Counter()
        self.agreed = collections.Counter()
        self.kinds = collections.defaultdict(collections.Counter)
        self.words = collections.Counter()
        self.skipped = collections.Counter()
        self.shrunk = collections.Counter()

    def difference(self, case):
        """What differs, asking Kueue again for its other possible answers before blaming us.
        None if Kueue itself fails."""
        theirs = self.kueue.ask(case)
        if not theirs['ok'] and theirs.get('code') != 2:
            return None
        ours = self.muster.ask(case)
        found = best(theirs, ours)
        if outcomes(found) and theirs['ok']:
            for repeat in (REPEAT, 10 * REPEAT):
                again = self.kueue.ask(case, repeat=repeat)
                if not again['ok']:  # too large to be asked that often
                    break
                found = best(again, ours)
                result = again['result']
                if not found or not (result['nondeterministic']
                                     or result.get('nondeterministicOrder')):
                    break
        return found

    def one_object(self, seed):
        """The family `objects`: validate and convert."""
        question = make_question(seed)
        theirs, ours = self.kueue.ask(question), self.muster.ask(question)
        family = f'{question["verb"]} objects'
        self.asked[family] += 1
        found = compare_answers(theirs, ours, question['verb'])
        serious = [f for f in found if f[0] != 'message']
        if found and not serious:
            self.words['validate message'] += 1
        if not serious:
            self.agreed[family] += 1
            return
        kind, _, one, other = serious[0]
        self.kinds[family][kind] += 1
        print(f'objects/{seed}: {question["object"]["kind"]} {kind}: Kueue {short(one, 400)}, '
              f'we {short(other, 400)}', flush=True)
        (self.out / f'objects-{seed}.json').write_text(json.dumps(question))

    def scenarios(self):
        """The cases of our own: each must hold for Kueue as well."""
        for path in sorted((ROOT / 'tests/scenarios/decide').glob('*.yaml')):
            for scenario in yaml.safe_load_all(path.read_text()):
                if scenario.get('do') == 'decide' and scenario.get('peer', True):
                    self.judge('scenarios', path.stem, scenario['given'])

    def one(self, family, seed):
        if family == 'objects':
            self.one_object(seed)
            return
        self.judge(family, seed, make_case(family, seed))

    def judge(self, family, seed, case):
        found = self.difference(case)
        if found is None:
            self.skipped[family] += 1
            return
        self.asked[family] += 1
        serious = outcomes(found)
        for kind in {f[0] for f in found}:
            if kind in WORDS:
                self.words[kind] += 1
        if not serious:
            self.agreed[family] += 1
            if found and self.arguments.words:
                self.report(family, seed, case, found)
            return
        kind = serious[0][0]
        self.kinds[family][kind] += 1
        self.report(family, seed, case, serious)

    def report(self, family, seed, case, found):
        kind = found[0][0]
        name = f'{family}-{seed}-{kind.replace(" ", "_")}'
        first = found[0]
        print(f'{family}/{seed}: {kind} at {first[1]}: Kueue {short(first[2])}, we {short(first[3])}',
              flush=True)
        if sum(self.shrunk.values()) >= self.arguments.shrink or self.shrunk[family, kind] >= 2:
            return
        self.shrunk[family, kind] += 1

        def shows(smaller):
            again = self.difference(smaller)
            return again is not None and any(is_like(f, first) for f in again)

        smallest = Shrinker(shows).shrink(case)
        self.write(name, smallest, self.difference(smallest))

    def write(self, name, case, found):
        rest = {k: v for k, v in case.items() if k != 'objects'}
        text = ''.join(f'# {kind} at {where}\n#   Kueue: {short(a, 600)}\n#   ours:  {short(b, 600)}\n'
                       for kind, where, a, b in found or [])
        text += '# ' + json.dumps(rest) + '\n'
        text += yaml.safe_dump_all(case['objects'], default_flow_style=None, width=160, sort_keys=False)
        (self.out / f'{name}.yaml').write_text(text)
        (self.out / f'{name}.json').write_text(json.dumps(case))
        print(f'  shrunk to {len(case["objects"])} objects: {self.out / name}.yaml', flush=True)

    def table(self, seconds):
        print(f'{"family":20} {"cases":>7} {"agree":>8}   disagreements')
        for family in self.asked:
            share = 100 * self.agreed[family] / self.asked[family]
            kinds = ', '.join(f'{k} {n}' for k, n in self.kinds[family].most_common())
            print(f'{family:20} {self.asked[family]:7} {share:7.2f}%   {kinds}')
        asked, agreed = sum(self.asked.values()), sum(self.agreed.values())
        share = agreed / asked if asked else 0
        print(f'{"all":20} {asked:7} {100 * share:7.3f}%')
        print('differences of wording: ' + (', '.join(
            f'{k} {n}' for k, n in self.words.most_common()) or 'none'))
        if self.skipped:
            print(f'Kueue itself failed on {sum(self.skipped.values())} cases')
        for name, server in (('Kueue', self.kueue), ('Muster', self.muster)):
            if server.asked:
                print(f'{name}: {server.asked} questions, '
                      f'{1000 * server.seconds / server.asked:.2f} ms each')
        print(f'{seconds:.0f} s')
        return share


def is_like(found, first):
    """The same disagreement in a smaller case: its figures may change, its words not."""
    same_words = not isinstance(first[2], str) or (found[2], found[3]) == (first[2], first[3])
    return found[0] == first[0] and same_words and found[1].split(': ')[1:] == first[1].split(': ')[1:]


def short(value, limit=160):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= limit else text[:limit] + '…'


def show_outcomes(run, families, count, first):
    """What the cases make Kueue do: a generator that only waits tests nothing."""
    for family in families:
        seen = collections.Counter()
        for seed in range(first, first + count):
            answer = run.kueue.ask(make_case(family, seed))
            if not answer['ok']:
                seen['failed'] += 1
                continue
            seen.update(facts_of(answer['result']))
        print(f'{family:20} ' + ', '.join(f'{k} {100 * n // count}%' for k, n in seen.most_common()))


def facts_of(result):
    facts = set()
    for cycle in result['cycles']:
        for decision in cycle['decisions']:
            facts.add(decision['action'])
            facts.update(v['reason'] for v in decision.get('victims', []))
            if decision['action'] == 'Wait':
                facts.add(f'Wait:{decision["reason"]}')
            if decision.get('borrowing'):
                facts.add('borrows')
            if any('topologyAssignment' in p for p in decision.get('podSets', [])):
                facts.add('places')
    return facts


def main():
    arguments = parse_arguments()
    run = Run(arguments)
    for server, needed in ((run.kueue, True), (run.muster, not arguments.oracle_only)):
        if needed and not shutil.which(server.command[0]):
            print(f'{server.command[0]} is not there')
            return 2
    for name in arguments.case or []:
        family, seed = name.rsplit('/', 1)
        run.judge(family, seed, make_case(family, int(seed)))
    if arguments.case:
        return 0
    families = arguments.family or list(FAMILIES) + ['objects']
    count = max(1, arguments.cases // len(families))
    began = time.monotonic()
    if arguments.oracle_only:
        show_outcomes(run, families, count, arguments.first)
        return 0
    if arguments.scenarios:
        run.scenarios()
        families = []
    for seed in range(arguments.first, arguments.first + count):
        for family in families:
            run.one(family, seed)
    share = run.table(time.monotonic() - began)
    print(f'{sum(run.agreed.values())} passed, '
          f'{0 if share >= AGREEMENT_MIN else sum(run.asked.values()) - sum(run.agreed.values())} failed')
    return 0 if share >= AGREEMENT_MIN else 1


if __name__ == '__main__':
    sys.exit(main())
