// A controller as client-go's users write it: shared informers (typed, dynamic, metadata), a
// leader election on a Lease, events of both groups, typed CRUD in protobuf, patches and apply.
// It prints one line a step; the first step that fails ends it.
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
)

const namespace = "go-client"

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

type world struct {
	config *rest.Config
	client *kubernetes.Clientset
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fail("the kubeconfig", err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail("a client", err)
	}
	it := world{config, client}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	steps := []struct {
		name string
		run  func(context.Context) error
	}{
		{"a namespace is created in protobuf", it.createNamespace},
		{"typed informers sync and follow", it.followTyped},
		{"dynamic and metadata informers sync", it.followOthers},
		{"conflicts are retried", it.retryConflicts},
		{"apply and patches", it.applyAndPatch},
		{"a job in protobuf", it.createJob},
		{"events of both groups", it.recordEvents},
		{"one leader at a time", it.electLeader},
		{"the namespace goes", it.deleteNamespace},
	}
	for _, step := range steps {
		began := time.Now()
		if err := step.run(ctx); err != nil {
			fail(step.name, err)
		}
		fmt.Printf("ok      %s (%.1f s)\n", step.name, time.Since(began).Seconds())
	}
	fmt.Printf("%d passed, 0 failed\n", len(steps))
}

func fail(what string, err error) {
	fmt.Printf("FAILED  %s: %v\n0 passed, 1 failed\n", what, err)
	os.Exit(1)
}

// until asks ten times a second, for ten seconds.
func until(ctx context.Context, question func(context.Context) (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 10*time.Second, true, question)
}

func (w world) createNamespace(ctx context.Context) error {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	_, err := w.client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (w world) followTyped(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Every namespace has a config map of its own, kube-root-ca.crt, sooner or later.
	factory := informers.NewSharedInformerFactoryWithOptions(w.client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = "metadata.name=followed"
		}))
	informer := factory.Core().V1().ConfigMaps().Informer()
	seen := make(chan string, 16)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen <- "added " + object.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, object any) { seen <- "updated " + object.(*corev1.ConfigMap).Data["k"] },
		DeleteFunc: func(any) { seen <- "deleted" },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v did not sync", kind)
		}
	}
	api := w.client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "followed"}, Data: map[string]string{"k": "v"}}
	made, err := api.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Data["k"] = "w"
	if _, err := api.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := api.Delete(ctx, "followed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, wanted := range []string{"added followed", "updated w", "deleted"} {
		select {
		case got := <-seen:
			if got != wanted {
				return fmt.Errorf("wanted %s, saw %s", wanted, got)
			}
		case <-time.After(10 * time.Second):
			return fmt.Errorf("%s was not seen", wanted)
		}
	}
	return nil
}

func (w world) followOthers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	dynamicClient, err := dynamic.NewForConfig(w.config)
	if err != nil {
		return err
	}
	untyped := dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0)
	objects := untyped.ForResource(configMaps).Informer()
	untyped.Start(ctx.Done())
	metadataClient, err := metadata.NewForConfig(w.config)
	if err != nil {
		return err
	}
	partial := metadatainformer.NewSharedInformerFactory(metadataClient, 0)
	names := partial.ForResource(configMaps).Informer()
	partial.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), objects.HasSynced, names.HasSynced) {
		return fmt.Errorf("they did not sync")
	}
	return nil
}

func (w world) retryConflicts(ctx context.Context) error {
	api := w.client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counted"}, Data: map[string]string{"n": ""}}
	stale, err := api.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := api.Create(ctx, object, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("created twice: %v", err)
	}
	results := make(chan error, 8)
	for range cap(results) {
		go func() {
			results <- retry.RetryOnConflict(wait.Backoff{Steps: 50, Duration: 5 * time.Millisecond, Jitter: 1}, func() error {
				live, err := api.Get(ctx, "counted", metav1.GetOptions{})
				if err != nil {
					return err
				}
				live.Data["n"] += "x"
				_, err = api.Update(ctx, live, metav1.UpdateOptions{})
				return err
			})
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			return err
		}
	}
	if _, err := api.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale write: %v", err)
	}
	live, err := api.Get(ctx, "counted", metav1.GetOptions{})
	if err == nil && live.Data["n"] != "xxxxxxxx" {
		err = fmt.Errorf("some writes were lost: %q", live.Data["n"])
	}
	return err
}

func (w world) applyAndPatch(ctx context.Context) error {
	api := w.client.CoreV1().ConfigMaps(namespace)
	wanted := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": "1"})
	if _, err := api.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	wanted.WithData(map[string]string{"a": "2"})
	if _, err := api.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("two managers, no conflict: %v", err)
	}
	if _, err := api.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "two", Force: true}); err != nil {
		return err
	}
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"data":{"m":"1"}}`,
		types.StrategicMergePatchType: `{"data":{"s":"1"}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/data/j","value":"1"}]`,
	} {
		if _, err := api.Patch(ctx, "applied", kind, []byte(patch), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	live, err := api.Get(ctx, "applied", metav1.GetOptions{})
	if err == nil && len(live.Data) != 4 {
		err = fmt.Errorf("it became %v", live.Data)
	}
	return err
}

func (w world) createJob(ctx context.Context) error {
	suspend := true
	manager := "example.com/nobody"
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: "job-"}, Spec: batchv1.JobSpec{
		Suspend: &suspend, ManagedBy: &manager,
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "c", Image: "i:1"}}}}}}
	made, err := w.client.BatchV1().Jobs(namespace).Create(ctx, job, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	return w.client.BatchV1().Jobs(namespace).Delete(ctx, made.Name, metav1.DeleteOptions{PropagationPolicy: &background,
		Preconditions: &metav1.Preconditions{UID: &made.UID}})
}

func (w world) recordEvents(ctx context.Context) error {
	object, err := w.client.CoreV1().ConfigMaps(namespace).Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	old := record.NewBroadcaster()
	defer old.Shutdown()
	old.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: w.client.CoreV1().Events(namespace)})
	recorder := old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "old-recorder"})
	for range 3 {
		recorder.Event(object, corev1.EventTypeNormal, "Old", "said by the old recorder")
		time.Sleep(50 * time.Millisecond)
	}
	fresh := events.NewBroadcaster(&events.EventSinkImpl{Interface: w.client.EventsV1()})
	defer fresh.Shutdown()
	if err := fresh.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	fresh.NewRecorder(scheme.Scheme, "new-recorder").Eventf(object, nil, corev1.EventTypeNormal, "New", "Saying", "said by the new recorder")
	return until(ctx, func(ctx context.Context) (bool, error) {
		list, err := w.client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=applied"})
		if err != nil {
			return false, err
		}
		counted, fresh := false, false
		for _, event := range list.Items {
			counted = counted || event.Reason == "Old" && event.Count == 3
			fresh = fresh || event.Reason == "New" && event.Message == "said by the new recorder"
		}
		return counted && fresh, nil
	})
}

// Two candidates; the first leads, lets go, and the second follows.
func (w world) electLeader(ctx context.Context) error {
	leading := make(chan string, 2)
	run := func(ctx context.Context, name string) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "the-lock", w.client.CoreV1(),
			w.client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
		if err != nil {
			leading <- err.Error()
			return
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading <- name },
				OnStoppedLeading: func() {},
			}})
	}
	next := func(wanted string) error {
		select {
		case got := <-leading:
			if got != wanted {
				return fmt.Errorf("%s leads, not %s", got, wanted)
			}
			return nil
		case <-time.After(15 * time.Second):
			return fmt.Errorf("%s never led", wanted)
		}
	}
	first, resign := context.WithCancel(ctx)
	go run(first, "first")
	if err := next("first"); err != nil {
		resign()
		return err
	}
	second, end := context.WithCancel(ctx)
	defer end()
	go run(second, "second")
	time.Sleep(500 * time.Millisecond)
	resign()
	return next("second")
}

func (w world) deleteNamespace(ctx context.Context) error {
	if err := w.client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return until(ctx, func(ctx context.Context) (bool, error) {
		_, err := w.client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
