"""One rich and valid object of every kind of Kueue, from which mutations start."""
# SPDX-License-Identifier: Apache-2.0
V1, V2 = 'kueue.x-k8s.io/v1beta1', 'kueue.x-k8s.io/v1beta2'
T0 = '2025-01-01T00:00:00Z'


def item(version, kind, spec=None, status=None, name='x', namespace=None, **metadata):
    made = {'apiVersion': version, 'kind': kind, 'metadata': {'name': name, **metadata}}
    if namespace:
        made['metadata']['namespace'] = namespace
    if spec is not None:
        made['spec'] = spec
    if status is not None:
        made['status'] = status
    return made


def condition(kind, status='True', **more):
    return {'type': kind, 'status': status, 'reason': 'Because', 'message': 'so it is',
            'lastTransitionTime': T0, **more}


def groups(limits):
    def quota(name, amount):
        return {'name': name, 'nominalQuota': amount, **limits}
    return [{'coveredResources': ['cpu', 'memory'],
             'flavors': [{'name': 'spot', 'resources': [quota('cpu', '10'), quota('memory', '36Gi')]},
                         {'name': 'on-demand',
                          'resources': [quota('cpu', 5), quota('memory', '1000Mi')]}]},
            {'coveredResources': ['nvidia.com/gpu'],
             'flavors': [{'name': 'h100', 'resources': [quota('nvidia.com/gpu', '8')]}]}]


def cluster_queue(version):
    first = version == V1
    spec = {
        'resourceGroups': groups({'borrowingLimit': '2', 'lendingLimit': '1'}),
        'cohort' if first else 'cohortName': 'all',
        'queueingStrategy': 'BestEffortFIFO',
        'namespaceSelector': {'matchLabels': {'team': 'a'}, 'matchExpressions': [
            {'key': 'kubernetes.io/metadata.name', 'operator': 'In', 'values': ['a', 'b']},
            {'key': 'hidden', 'operator': 'DoesNotExist'}]},
        'flavorFungibility': {'whenCanBorrow': 'TryNextFlavor', 'whenCanPreempt': 'TryNextFlavor',
                              'preference': 'BorrowingOverPreemption'},
        'preemption': {'reclaimWithinCohort': 'Any', 'withinClusterQueue': 'LowerPriority',
                       'borrowWithinCohort': {'policy': 'LowerPriority',
                                              'maxPriorityThreshold': 100}},
        'admissionChecksStrategy': {'admissionChecks': [
            {'name': 'prov', 'onFlavors': ['spot', 'h100']}, {'name': 'mk'}]},
        'stopPolicy': 'None',
        'fairSharing': {'weight': '2'},
        'admissionScope': {'admissionMode': 'UsageBasedAdmissionFairSharing'},
    }
    if first:
        spec['flavorFungibility'] = {'whenCanBorrow': 'Borrow', 'whenCanPreempt': 'TryNextFlavor'}
    usage = [{'name': 'spot', 'resources': [{'name': 'cpu', 'total': '4', 'borrowed': '0'}]}]
    status = {'conditions': [condition('Active')], 'flavorsReservation': usage,
              'flavorsUsage': usage, 'pendingWorkloads': 1, 'reservingWorkloads': 2,
              'admittedWorkloads': 2, 'fairSharing': {'weightedShare': 3}}
    return item(version, 'ClusterQueue', spec, status, generation=1)


def concurrent_queue():
    made = cluster_queue(V2)
    made['spec']['resourceGroups'] = made['spec']['resourceGroups'][:1]
    del made['spec']['admissionChecksStrategy']
    made['spec']['concurrentAdmissionPolicy'] = {'migration': {
        'mode': 'TryPreferredFlavors', 'constraints': {'lastAcceptableFlavorName': 'spot'}}}
    return made


def cohort(version):
    spec = {'parent' if version == V1 else 'parentName': 'root',
            'resourceGroups': groups({'borrowingLimit': '2', 'lendingLimit': '20'}),
            'fairSharing': {'weight': '1500m'}}
    return item(version, 'Cohort', spec, {'fairSharing': {'weightedShare': 3}})


def resource_flavor(version):
    return item(version, 'ResourceFlavor', {
        'nodeLabels': {'cloud.com/type': 'h100', 'zone': 'a'},
        'nodeTaints': [{'key': 'spot', 'value': 'true', 'effect': 'NoSchedule'},
                       {'key': 'gpu', 'effect': 'NoExecute'}],
        'tolerations': [{'key': 'spot', 'operator': 'Equal', 'value': 'true',
                         'effect': 'NoSchedule'}, {'operator': 'Exists'}],
        'topologyName': 'racks'})


def local_queue(version):
    status = {'conditions': [condition('Active')], 'pendingWorkloads': 1, 'reservingWorkloads': 1,
              'admittedWorkloads': 1,
              'fairSharing': {'weightedShare': 3, 'admissionFairSharingStatus': {
                  'consumedResources': {'cpu': '10'}, 'lastUpdate': T0}}}
    return item(version, 'LocalQueue', {'clusterQueue': 'cq', 'stopPolicy': 'Hold',
                                        'fairSharing': {'weight': '2'}}, status, namespace='ns')


def template(requests):
    return {'metadata': {'labels': {'app': 'a'}, 'annotations': {'example.com/note': 'some text'}},
            'spec': {'restartPolicy': 'Never', 'terminationGracePeriodSeconds': 0,
                     'nodeSelector': {'zone': 'a'},
                     'tolerations': [{'key': 'spot', 'operator': 'Exists'}],
                     'initContainers': [{'name': 'i', 'image': 'busybox',
                                         'resources': {'requests': {'cpu': '100m'}}}],
                     'containers': [{'name': 'c', 'image': 'trainer:1', 'args': ['--x'],
                                     'env': [{'name': 'A', 'value': 'b'}],
                                     'ports': [{'containerPort': 80}],
                                     'readinessProbe': {'httpGet': {'path': '/', 'port': 80}},
                                     'securityContext': {'privileged': False},
                                     'resources': {'requests': requests,
                                                   'limits': {'nvidia.com/gpu': 1}}}],
                     'volumes': [{'name': 'v', 'emptyDir': {'sizeLimit': '1000Mi'}}]}}


def pod_sets(version):
    driver = {'name': 'driver', 'count': 1, 'template': template({'cpu': '1', 'memory': '1Gi'})}
    request = {'required': 'cloud.com/rack', 'podIndexLabel': 'batch.kubernetes.io/job-index',
               'subGroupIndexLabel': 'jobset.sigs.k8s.io/job-index', 'subGroupCount': 2}
    workers = {'name': 'workers', 'count': 4, 'minCount': 2, 'template': template({'cpu': '0.5'}),
               'topologyRequest': {**request, 'podSetSliceRequiredTopology': 'cloud.com/host',
                                   'podSetSliceSize': 2}}
    return [driver, workers]


def workload(version, reserved=True):
    first = version == V1
    spec = {'podSets': pod_sets(version), 'queueName': 'main', 'priority': 10, 'active': True,
            'maximumExecutionTimeSeconds': 60}
    if first:
        spec.update({'priorityClassName': 'high',
                     'priorityClassSource': 'kueue.x-k8s.io/workloadpriorityclass'})
    else:
        spec['priorityClassRef'] = {'group': 'kueue.x-k8s.io', 'kind': 'WorkloadPriorityClass',
                                    'name': 'high'}
    status = {}
    if reserved:
        topology = {'levels': ['cloud.com/rack', 'kubernetes.io/hostname'], 'domains': [
            {'values': ['r1', 'h1'], 'count': 2}, {'values': ['r1', 'h2'], 'count': 2}]}
        if not first:
            topology = {'levels': topology['levels'], 'slices': [
                {'domainCount': 2, 'podCounts': {'universal': 2}, 'valuesPerLevel': [
                    {'universal': 'r1'}, {'individual': {'prefix': 'h', 'roots': ['1', '2']}}]}]}
        admission = {'clusterQueue': 'cq', 'podSetAssignments': [
            {'name': 'driver', 'count': 1, 'flavors': {'cpu': 'spot', 'memory': 'spot'},
             'resourceUsage': {'cpu': '1', 'memory': '1Gi'}},
            {'name': 'workers', 'count': 4, 'flavors': {'cpu': 'spot'},
             'resourceUsage': {'cpu': '2'}, 'topologyAssignment': topology,
             'delayedTopologyRequest': 'Ready'}]}
        update = {'name': 'driver', 'labels': {'a': 'b'}, 'annotations': {'c': 'd'},
                  'nodeSelector': {'zone': 'a'},
                  'tolerations': [{'key': 'spot', 'operator': 'Exists'}]}
        status = {'conditions': [condition('QuotaReserved'), condition('Admitted')],
                  'admission': admission,
                  'requeueState': {'count': 1, 'requeueAt': T0},
                  'reclaimablePods': [{'name': 'workers', 'count': 2}],
                  'admissionChecks': [{'name': 'prov', 'state': 'Ready', 'lastTransitionTime': T0,
                                       'message': 'done', 'podSetUpdates': [update]},
                                      {'name': 'mk', 'state': 'Pending', 'lastTransitionTime': T0,
                                       'message': ''}],
                  'resourceRequests': [{'name': 'driver', 'resources': {'cpu': '1'}}],
                  'nominatedClusterNames': ['c1', 'c2'],
                  'schedulingStats': {'evictions': [{'reason': 'Preempted', 'underlyingCause': '',
                                                     'count': 1}]},
                  'unhealthyNodes': [{'name': 'n1'}]}
        if first:
            status['accumulatedPastExexcutionTimeSeconds'] = 5
        else:
            status['accumulatedPastExecutionTimeSeconds'] = 5
    made = item(version, 'Workload', spec, status, namespace='ns')
    if not reserved:
        made['metadata']['annotations'] = {'kueue.x-k8s.io/admission-gated-by': 'a.io/b,c.io/d'}
        del made['status']
    return made


def elastic(version):
    made = workload(version)
    made['metadata']['annotations'] = {'kueue.x-k8s.io/elastic-job': 'true'}
    for pod_set in made['spec']['podSets']:
        pod_set.pop('minCount', None)
    return made


def boosted(version):
    made = workload(version, reserved=False)
    made['metadata']['annotations'] = {'kueue.x-k8s.io/priority-boost': '5'}
    if version == V2:
        made['spec']['podSets'][0]['topologyRequest'] = {
            'preferred': 'cloud.com/block', 'podSetGroupName': 'g'}
        made['spec']['podSets'][1]['topologyRequest'] = {
            'preferred': 'cloud.com/block', 'podsetSliceRequiredTopologyConstraints': [
                {'topology': 'cloud.com/block', 'size': 4}, {'topology': 'cloud.com/rack', 'size': 2}]}
        made['spec']['preemptionGates'] = [{'name': 'gate'}]
        made['status'] = {'preemptionGates': [{'name': 'gate', 'position': 'Closed',
                                               'lastTransitionTime': T0}]}
    return made


def others(version):
    v2 = version == V2
    cluster = {'kubeConfig': {'location': 'secret', 'locationType': 'Secret'}}
    return [
        item(version, 'WorkloadPriorityClass', name='high') | {'value': 100, 'description': 'text'},
        item(version, 'AdmissionCheck', {
            'controllerName': 'kueue.x-k8s.io/provisioning-request',
            'parameters': {'apiGroup': 'kueue.x-k8s.io', 'kind': 'ProvisioningRequestConfig',
                           'name': 'config'}}, {'conditions': [condition('Active')]}),
        item(version, 'Topology', {'levels': [{'nodeLabel': 'cloud.com/block'},
                                              {'nodeLabel': 'cloud.com/rack'},
                                              {'nodeLabel': 'kubernetes.io/hostname'}]}),
        item(version, 'ProvisioningRequestConfig', {
            'provisioningClassName': 'queued-provisioning.gke.io', 'parameters': {'a': 'b'},
            'managedResources': ['nvidia.com/gpu'],
            'retryStrategy': {'backoffLimitCount': 2, 'backoffBaseSeconds': 60,
                              'backoffMaxSeconds': 1800},
            'podSetUpdates': {'nodeSelector': [
                {'key': 'a', 'valueFromProvisioningClassDetail': 'b'}]},
            'podSetMergePolicy': 'IdenticalPodTemplates'}),
        item(version, 'MultiKueueConfig', {'clusters': ['c1', 'c2']}),
        item(version, 'MultiKueueCluster', {'clusterSource': cluster} if v2 else cluster,
             {'conditions': [condition('Active')]}),
    ]


def samples():
    made = []
    for version in (V1, V2):
        made += [cluster_queue(version), cluster_queue(version), cohort(version),
                 resource_flavor(version), local_queue(version), workload(version),
                 workload(version), workload(version, reserved=False), elastic(version),
                 boosted(version)] + others(version)
    return made + [concurrent_queue()]
