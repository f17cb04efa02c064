#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the scenarios of tests/scenarios/schema to a real kube-apiserver and writes its answers.

  tools/ask_scenarios.py --kubeconfig FILE [--kueue FOLDER_OF_CRDS] SCENARIO_FILE...

Each document's `expect` is replaced by what the server says to `given`, in the form in which the
verbs of tests/scenarios/verbs_schema.cc answer. Documents with `asked: false` are left alone: there
we differ from the server on purpose, and `why` says so. Nothing is kept on the server.
"""
import argparse, base64, http.client, json, pathlib, re, ssl, tempfile, time
import yaml

# What admission plugins and registries add, which is not the schema's work.
SERVER_FIELDS = ['uid', 'creationTimestamp', 'managedFields', 'generation', 'resourceVersion']
REGISTRY_FIELDS = {
    'Pod': ['tolerations', 'priority', 'preemptionPolicy', 'serviceAccount', 'serviceAccountName'],
    'Job': ['selector'],
    'Service': ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'],
    'Namespace': ['finalizers'],
    'Node': ['taints'],
}
JOB_LABELS = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name',
              'controller-uid', 'job-name']


class Plain(yaml.SafeDumper):
    """No anchors, and quotes around what YAML 1.1 takes for a boolean."""

    def ignore_aliases(self, data):
        return True

    def text(self, data):
        quoted = re.fullmatch(r'[-+0-9._:eE]*|[yYnN]', data)
        return self.represent_scalar('tag:yaml.org,2002:str', data, style="'" if quoted else None)


Plain.add_representer(str, Plain.text)


class Server:
    def __init__(self, kubeconfig):
        config = yaml.safe_load(open(kubeconfig))
        cluster, user = config['clusters'][0]['cluster'], config['users'][0]['user']
        context = ssl.create_default_context(cadata=base64.b64decode(
            cluster['certificate-authority-data']).decode())
        with tempfile.NamedTemporaryFile() as pem:
            pem.write(base64.b64decode(user['client-certificate-data']) + b'\n' +
                      base64.b64decode(user['client-key-data']))
            pem.flush()
            context.load_cert_chain(pem.name)
        self.host, self.context = cluster['server'].split('//')[1], context

    def call(self, method, path, body=None, content='application/json'):
        connection = http.client.HTTPSConnection(self.host, context=self.context)
        connection.request(method, path, body, {'Content-Type': content})
        response = connection.getresponse()
        warnings = [re.sub(r'^299 - "(.*)"$', r'\1', value).replace('\\"', '"')
                    for key, value in response.getheaders() if key == 'Warning']
        text = response.read()
        return response.status, json.loads(text) if text.startswith(b'{') else text, warnings

    def path_of(self, obj, names):
        group, _, version = obj['apiVersion'].rpartition('/')
        base = f'/apis/{group}/{version}' if group else f'/api/{version}'
        plural, namespaced = names[(group, obj['kind'])]
        space = (obj.get('metadata') or {}).get('namespace', 'default')
        return f'{base}/namespaces/{space}/{plural}' if namespaced else f'{base}/{plural}'

    def names(self):
        found = {}
        _, core, _ = self.call('GET', '/api/v1')
        lists = [('', core)]
        for group in self.call('GET', '/apis')[1]['groups']:
            for version in group['versions']:
                path = '/apis/' + version['groupVersion']
                lists.append((group['name'], self.call('GET', path)[1]))
        for group, resources in lists:
            for entry in resources.get('resources', []):
                if '/' not in entry['name']:
                    found[(group, entry['kind'])] = (entry['name'], entry['namespaced'])
        return found


def answer_of(status, body, obj, warnings, whole):
    if status in (200, 201):
        if not whole:
            return {'valid': True, 'warnings': warnings} if warnings else {'valid': True}
        for field in SERVER_FIELDS:
            body['metadata'].pop(field, None)
        for field in REGISTRY_FIELDS.get(obj['kind'], []):
            body['spec'].pop(field, None)
        if obj['kind'] == 'Job':
            for metadata in (body['metadata'], body['spec']['template']['metadata']):
                for label in JOB_LABELS:
                    metadata.get('labels', {}).pop(label, None)
                if not metadata.get('labels'):
                    metadata.pop('labels', None)
        return {'object': body, 'warnings': warnings} if warnings else {'object': body}
    if body.get('reason') == 'Invalid':
        causes = body['details'].get('causes', [])
        return {'errors': sorted({f"{c['field']}: {c['message']}" for c in causes})}
    message = body['message']
    return {'error': message.split(f"cannot be handled as a {obj['kind']}: ", 1)[-1]}


def ask(server, scenario):
    given, verb = scenario['given'], scenario['do']
    if verb == 'define':
        status, body, warnings = server.call(
            'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
            json.dumps(given))
        return answer_of(status, body, given, [], False)
    if 'definition' in given:
        install(server, given['definition'])
    names = server.names()
    if 'objects' in given:
        answer = {title: ask_object(server, names, given, obj, verb == 'admit')
                  for title, obj in given['objects'].items()}
    else:
        answer = ask_object(server, names, given, given['object'], verb == 'admit')
    if 'definition' in given:
        server.call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/' +
                    given['definition']['metadata']['name'])
    return answer


def ask_object(server, names, given, obj, whole):
    path = server.path_of(obj, names)
    text = given['text'] if 'text' in given else json.dumps(obj)
    query = 'fieldValidation=' + given.get('fieldValidation', 'Strict')
    name = (obj.get('metadata') or {}).get('name')
    if 'old' in given:
        server.call('DELETE', f'{path}/{name}?propagationPolicy=Background')
        status, old, _ = server.call('POST', path, json.dumps(given['old']))
        assert status == 201, old
        if 'status' in given['old']:
            merged = dict(old, status=given['old']['status'])
            server.call('PUT', f'{path}/{name}/status', json.dumps(merged))
        # What the server added to the old object (a selector, labels) stays in the new one.
        changed = merged_with(server.call('GET', f'{path}/{name}')[1], obj)
        result = server.call('PUT', f'{path}/{name}?dryRun=All&{query}', json.dumps(changed))
        server.call('DELETE', f'{path}/{name}?propagationPolicy=Background')
    else:
        result = server.call('POST', f'{path}?dryRun=All&{query}', text)
    return answer_of(result[0], result[1], obj, result[2], whole)


def merged_with(base, over):
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {key: merged_with(base[key], over[key]) if key in base and key in over
            else over.get(key, base.get(key)) for key in base | over}


def install(server, definition):
    name = definition['metadata']['name']
    path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for _ in range(100):
        if server.call('GET', f'{path}/{name}')[0] == 404:
            break
        time.sleep(0.1)
    status, body, _ = server.call('POST', path, json.dumps(definition))
    assert status in (201, 409), body
    versions = [v['name'] for v in definition['spec']['versions']]
    group = definition['spec']['group']
    for _ in range(200):
        found, body, _ = server.call('GET', f'/apis/{group}/{versions[0]}')
        if found == 200 and any(r['name'] == definition['spec']['names']['plural']
                                for r in body['resources']):
            time.sleep(0.3)
            return
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kubeconfig', required=True)
    parser.add_argument('--kueue')
    parser.add_argument('files', nargs='+')
    arguments = parser.parse_args()
    server = Server(arguments.kubeconfig)
    if arguments.kueue:
        for file in sorted(pathlib.Path(arguments.kueue).glob('*.yaml')):
            install(server, yaml.safe_load(file.read_text()))
    for file in map(pathlib.Path, arguments.files):
        documents = []
        for text in file.read_text().split('\n---\n'):
            scenario = yaml.safe_load(text)
            if scenario and scenario.get('asked', True):
                answer = ask(server, scenario)
                head = (text if text.endswith('\n') else text + '\n').split('\nexpect:')[0].rstrip()
                text = head + '\nexpect:\n' + ''.join(
                    '  ' + line + '\n' for line in yaml.dump(
                        answer, Dumper=Plain, width=98, default_flow_style=None).splitlines())
            documents.append(text.rstrip('\n') + '\n')
        file.write_text('---\n'.join(documents))
        print(file, len(documents))


if __name__ == '__main__':
    main()
