// SPDX-License-Identifier: Apache-2.0
// The structs of Go: the pod template and what it holds. objects/go_structs.h has the notation.
#include "objects/structs/structs.h"

namespace muster::objects {

const std::string_view structs_of_core = R"(core.v1
Affinity: nodeAffinity *NodeAffinity, podAffinity *PodAffinity, podAntiAffinity *PodAntiAffinity;
AppArmorProfile: type! word, localhostProfile *string;
Capabilities: add []word, drop []word;
ConfigMapEnvSource: name string, optional *bool;
ConfigMapKeySelector: name string, key! string, optional *bool;
Container: name! string, image string, command []string, args []string, workingDir string, ports
  []ContainerPort, envFrom []EnvFromSource, env []EnvVar, resources! ResourceRequirements,
  resizePolicy []ContainerResizePolicy, restartPolicy *word, restartPolicyRules
  []ContainerRestartRule, volumeMounts []VolumeMount, volumeDevices []VolumeDevice, livenessProbe
  *Probe, readinessProbe *Probe, startupProbe *Probe, lifecycle *Lifecycle, terminationMessagePath
  string, terminationMessagePolicy word, imagePullPolicy word, securityContext *SecurityContext,
  stdin bool, stdinOnce bool, tty bool;
ContainerPort: name string, hostPort int32, containerPort! int32, protocol word, hostIP string;
ContainerResizePolicy: resourceName! word, restartPolicy! word;
ContainerRestartRule: action word, exitCodes *ContainerRestartRuleOnExitCodes;
ContainerRestartRuleOnExitCodes: operator word, values []int32;
DownwardAPIVolumeFile: path! string, fieldRef *ObjectFieldSelector, resourceFieldRef
  *ResourceFieldSelector, mode *int32;
EnvFromSource: prefix string, configMapRef *ConfigMapEnvSource, secretRef *SecretEnvSource;
EnvVar: name! string, value string, valueFrom *EnvVarSource;
EnvVarSource: fieldRef *ObjectFieldSelector, resourceFieldRef *ResourceFieldSelector,
  configMapKeyRef *ConfigMapKeySelector, secretKeyRef *SecretKeySelector, fileKeyRef
  *FileKeySelector;
EphemeralContainer: name! string, image string, command []string, args []string, workingDir
  string, ports []ContainerPort, envFrom []EnvFromSource, env []EnvVar, resources!
  ResourceRequirements, resizePolicy []ContainerResizePolicy, restartPolicy *word,
  restartPolicyRules []ContainerRestartRule, volumeMounts []VolumeMount, volumeDevices
  []VolumeDevice, livenessProbe *Probe, readinessProbe *Probe, startupProbe *Probe, lifecycle
  *Lifecycle, terminationMessagePath string, terminationMessagePolicy word, imagePullPolicy word,
  securityContext *SecurityContext, stdin bool, stdinOnce bool, tty bool, targetContainerName
  string;
ExecAction: command []string;
FileKeySelector: volumeName! string, path! string, key! string, optional *bool;
GRPCAction: port! int32, service! *string;
HTTPGetAction: path string, port! int-or-string, host string, scheme word, httpHeaders
  []HTTPHeader;
HTTPHeader: name! string, value! string;
HostAlias: ip! string, hostnames []string;
KeyToPath: key! string, path! string, mode *int32;
Lifecycle: postStart *LifecycleHandler, preStop *LifecycleHandler, stopSignal *word;
LifecycleHandler: exec *ExecAction, httpGet *HTTPGetAction, tcpSocket *TCPSocketAction, sleep
  *SleepAction;
LocalObjectReference: name string;
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution *NodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm;
NodeSelector: nodeSelectorTerms! []NodeSelectorTerm;
NodeSelectorRequirement: key! string, operator! word, values []string;
NodeSelectorTerm: matchExpressions []NodeSelectorRequirement, matchFields
  []NodeSelectorRequirement;
ObjectFieldSelector: apiVersion string, fieldPath! string;
PersistentVolumeClaimSpec: accessModes []word, selector *meta.v1.LabelSelector, resources!
  VolumeResourceRequirements, volumeName string, storageClassName *string, volumeMode *word,
  dataSource *TypedLocalObjectReference, dataSourceRef *TypedObjectReference,
  volumeAttributesClassName *string;
PersistentVolumeClaimTemplate: metadata! meta.v1.ObjectMeta, spec! PersistentVolumeClaimSpec;
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;
PodAffinityTerm: labelSelector *meta.v1.LabelSelector, namespaces []string, topologyKey! string,
  namespaceSelector *meta.v1.LabelSelector, matchLabelKeys []string, mismatchLabelKeys []string;
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;
PodDNSConfig: nameservers []string, searches []string, options []PodDNSConfigOption;
PodDNSConfigOption: name string, value *string;
PodOS: name! word;
PodReadinessGate: conditionType! word;
PodResourceClaim: name! string, resourceClaimName *string, resourceClaimTemplateName *string;
PodSchedulingGate: name! string;
PodSchedulingGroup: podGroupName *string;
PodSecurityContext: seLinuxOptions *SELinuxOptions, windowsOptions *WindowsSecurityContextOptions,
  runAsUser *int64, runAsGroup *int64, runAsNonRoot *bool, supplementalGroups []int64,
  supplementalGroupsPolicy *word, fsGroup *int64, sysctls []Sysctl, fsGroupChangePolicy *word,
  seccompProfile *SeccompProfile, appArmorProfile *AppArmorProfile, seLinuxChangePolicy *word;
PodSpec: volumes []Volume, initContainers []Container, containers! []Container,
  ephemeralContainers []EphemeralContainer, restartPolicy word, terminationGracePeriodSeconds
  *int64, activeDeadlineSeconds *int64, dnsPolicy word, nodeSelector {}string, serviceAccountName
  string, serviceAccount string, automountServiceAccountToken *bool, nodeName string, hostNetwork
  bool, hostPID bool, hostIPC bool, shareProcessNamespace *bool, securityContext
  *PodSecurityContext, imagePullSecrets []LocalObjectReference, hostname string, subdomain string,
  affinity *Affinity, schedulerName string, tolerations []Toleration, hostAliases []HostAlias,
  priorityClassName string, priority *int32, dnsConfig *PodDNSConfig, readinessGates
  []PodReadinessGate, runtimeClassName *string, enableServiceLinks *bool, preemptionPolicy *word,
  overhead {}quantity, topologySpreadConstraints []TopologySpreadConstraint, setHostnameAsFQDN
  *bool, os *PodOS, hostUsers *bool, schedulingGates []PodSchedulingGate, resourceClaims
  []PodResourceClaim, resources *ResourceRequirements, hostnameOverride *string, schedulingGroup
  *PodSchedulingGroup;
PodTemplateSpec: metadata! meta.v1.ObjectMeta, spec! PodSpec;
PreferredSchedulingTerm: weight! int32, preference! NodeSelectorTerm;
Probe: exec *ExecAction, httpGet *HTTPGetAction, tcpSocket *TCPSocketAction, grpc *GRPCAction,
  initialDelaySeconds int32, timeoutSeconds int32, periodSeconds int32, successThreshold int32,
  failureThreshold int32, terminationGracePeriodSeconds *int64;
ResourceClaim: name! string, request string;
ResourceFieldSelector: containerName string, resource! string, divisor! quantity;
ResourceRequirements: limits {}quantity, requests {}quantity, claims []ResourceClaim;
SELinuxOptions: user string, role string, type string, level string;
SeccompProfile: type! word, localhostProfile *string;
SecretEnvSource: name string, optional *bool;
SecretKeySelector: name string, key! string, optional *bool;
SecurityContext: capabilities *Capabilities, privileged *bool, seLinuxOptions *SELinuxOptions,
  windowsOptions *WindowsSecurityContextOptions, runAsUser *int64, runAsGroup *int64, runAsNonRoot
  *bool, readOnlyRootFilesystem *bool, allowPrivilegeEscalation *bool, procMount *word,
  seccompProfile *SeccompProfile, appArmorProfile *AppArmorProfile;
SleepAction: seconds! int64;
Sysctl: name! string, value! string;
TCPSocketAction: port! int-or-string, host string;
Taint: key! string, value string, effect! word, timeAdded *time;
Toleration: key string, operator word, value string, effect word, tolerationSeconds *int64;
TopologySpreadConstraint: maxSkew! int32, topologyKey! string, whenUnsatisfiable! word,
  labelSelector *meta.v1.LabelSelector, minDomains *int32, nodeAffinityPolicy *word,
  nodeTaintsPolicy *word, matchLabelKeys []string;
TypedLocalObjectReference: apiGroup! *string, kind! string, name! string;
TypedObjectReference: apiGroup! *string, kind! string, name! string, namespace *string;
WeightedPodAffinityTerm: weight! int32, podAffinityTerm! PodAffinityTerm;
WindowsSecurityContextOptions: gmsaCredentialSpecName *string, gmsaCredentialSpec *string,
  runAsUserName *string, hostProcess *bool;
)";

}  // namespace muster::objects
