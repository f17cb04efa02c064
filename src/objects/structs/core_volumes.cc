// SPDX-License-Identifier: Apache-2.0
// The structs of Go: volumes. objects/go_structs.h has the notation.
#include "objects/structs/structs.h"

namespace muster::objects {

const std::string_view structs_of_core_volumes = R"(core.v1
AWSElasticBlockStoreVolumeSource: volumeID! string, fsType string, partition int32, readOnly bool;
AzureDiskVolumeSource: diskName! string, diskURI! string, cachingMode *word, fsType *string,
  readOnly *bool, kind *word;
AzureFileVolumeSource: secretName! string, shareName! string, readOnly bool;
CSIVolumeSource: driver! string, readOnly *bool, fsType *string, volumeAttributes {}string,
  nodePublishSecretRef *LocalObjectReference;
CephFSVolumeSource: monitors! []string, path string, user string, secretFile string, secretRef
  *LocalObjectReference, readOnly bool;
CinderVolumeSource: volumeID! string, fsType string, readOnly bool, secretRef
  *LocalObjectReference;
ClusterTrustBundleProjection: name *string, signerName *string, labelSelector
  *meta.v1.LabelSelector, optional *bool, path! string;
ConfigMapProjection: name string, items []KeyToPath, optional *bool;
ConfigMapVolumeSource: name string, items []KeyToPath, defaultMode *int32, optional *bool;
DownwardAPIProjection: items []DownwardAPIVolumeFile;
DownwardAPIVolumeSource: items []DownwardAPIVolumeFile, defaultMode *int32;
EmptyDirVolumeSource: medium word, sizeLimit *quantity;
EphemeralVolumeSource: volumeClaimTemplate *PersistentVolumeClaimTemplate;
FCVolumeSource: targetWWNs []string, lun *int32, fsType string, readOnly bool, wwids []string;
FlexVolumeSource: driver! string, fsType string, secretRef *LocalObjectReference, readOnly bool,
  options {}string;
FlockerVolumeSource: datasetName string, datasetUUID string;
GCEPersistentDiskVolumeSource: pdName! string, fsType string, partition int32, readOnly bool;
GitRepoVolumeSource: repository! string, revision string, directory string;
GlusterfsVolumeSource: endpoints! string, path! string, readOnly bool;
HostPathVolumeSource: path! string, type *word;
ISCSIVolumeSource: targetPortal! string, iqn! string, lun! int32, iscsiInterface string, fsType
  string, readOnly bool, portals []string, chapAuthDiscovery bool, chapAuthSession bool, secretRef
  *LocalObjectReference, initiatorName *string;
ImageVolumeSource: reference string, pullPolicy word;
NFSVolumeSource: server! string, path! string, readOnly bool;
PersistentVolumeClaimVolumeSource: claimName! string, readOnly bool;
PhotonPersistentDiskVolumeSource: pdID! string, fsType string;
PodCertificateProjection: signerName string, keyType string, maxExpirationSeconds *int32,
  credentialBundlePath string, keyPath string, certificateChainPath string, userAnnotations
  {}string;
PortworxVolumeSource: volumeID! string, fsType string, readOnly bool;
ProjectedVolumeSource: sources! []VolumeProjection, defaultMode *int32;
QuobyteVolumeSource: registry! string, volume! string, readOnly bool, user string, group string,
  tenant string;
RBDVolumeSource: monitors! []string, image! string, fsType string, pool string, user string,
  keyring string, secretRef *LocalObjectReference, readOnly bool;
ScaleIOVolumeSource: gateway! string, system! string, secretRef! *LocalObjectReference, sslEnabled
  bool, protectionDomain string, storagePool string, storageMode string, volumeName string, fsType
  string, readOnly bool;
SecretProjection: name string, items []KeyToPath, optional *bool;
SecretVolumeSource: secretName string, items []KeyToPath, defaultMode *int32, optional *bool;
ServiceAccountTokenProjection: audience string, expirationSeconds *int64, path! string;
StorageOSVolumeSource: volumeName string, volumeNamespace string, fsType string, readOnly bool,
  secretRef *LocalObjectReference;
Volume: name! string, hostPath *HostPathVolumeSource, emptyDir *EmptyDirVolumeSource,
  gcePersistentDisk *GCEPersistentDiskVolumeSource, awsElasticBlockStore
  *AWSElasticBlockStoreVolumeSource, gitRepo *GitRepoVolumeSource, secret *SecretVolumeSource, nfs
  *NFSVolumeSource, iscsi *ISCSIVolumeSource, glusterfs *GlusterfsVolumeSource,
  persistentVolumeClaim *PersistentVolumeClaimVolumeSource, rbd *RBDVolumeSource, flexVolume
  *FlexVolumeSource, cinder *CinderVolumeSource, cephfs *CephFSVolumeSource, flocker
  *FlockerVolumeSource, downwardAPI *DownwardAPIVolumeSource, fc *FCVolumeSource, azureFile
  *AzureFileVolumeSource, configMap *ConfigMapVolumeSource, vsphereVolume
  *VsphereVirtualDiskVolumeSource, quobyte *QuobyteVolumeSource, azureDisk *AzureDiskVolumeSource,
  photonPersistentDisk *PhotonPersistentDiskVolumeSource, projected *ProjectedVolumeSource,
  portworxVolume *PortworxVolumeSource, scaleIO *ScaleIOVolumeSource, storageos
  *StorageOSVolumeSource, csi *CSIVolumeSource, ephemeral *EphemeralVolumeSource, image
  *ImageVolumeSource;
VolumeDevice: name! string, devicePath! string;
VolumeMount: name! string, readOnly bool, recursiveReadOnly *word, mountPath! string, subPath
  string, mountPropagation *word, subPathExpr string;
VolumeProjection: secret *SecretProjection, downwardAPI *DownwardAPIProjection, configMap
  *ConfigMapProjection, serviceAccountToken *ServiceAccountTokenProjection, clusterTrustBundle
  *ClusterTrustBundleProjection, podCertificate *PodCertificateProjection;
VolumeResourceRequirements: limits {}quantity, requests {}quantity;
VsphereVirtualDiskVolumeSource: volumePath! string, fsType string, storagePolicyName string,
  storagePolicyID string;
)";

}  // namespace muster::objects
