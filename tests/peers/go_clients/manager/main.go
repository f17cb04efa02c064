// A controller-runtime manager: leader election, a cache, a reconciler that keeps one ConfigMap
// beside each annotated one (owner reference, CreateOrUpdate, status-like patch, finalizer,
// events), and an unstructured client for a custom kind of ours.
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	namespace = "go-manager"
	mark      = "example.com/mirrored"
	finalizer = "example.com/mirror"
)

// mirror keeps NAME-mirror as a copy of NAME, and takes it away before NAME goes.
type mirror struct{ client.Client }

func (m mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := m.Get(ctx, request.NamespacedName, &source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.Annotations[mark] == "" {
		return ctrl.Result{}, nil
	}
	if !source.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&source, finalizer) {
			return ctrl.Result{}, m.Update(ctx, &source)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&source, finalizer) {
		if err := m.Update(ctx, &source); err != nil {
			return ctrl.Result{}, err
		}
	}
	copied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: source.Name + "-mirror", Namespace: source.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, m, copied, func() error {
		copied.Data = source.Data
		return controllerutil.SetControllerReference(&source, copied, m.Scheme())
	})
	return ctrl.Result{}, err
}

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fail("the kubeconfig", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	direct, err := client.New(config, client.Options{})
	if err != nil {
		fail("a client", err)
	}
	if err := direct.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		fail("the namespace", err)
	}
	go start(ctx, config)
	steps := []struct {
		name string
		run  func(context.Context, client.Client) error
	}{
		{"the mirror follows its source", followsSource},
		{"patches and status-like writes", patches},
		{"unstructured objects of a custom kind", custom},
		{"the source goes, and its mirror with it", goesAway},
	}
	for _, step := range steps {
		began := time.Now()
		if err := step.run(ctx, direct); err != nil {
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

func start(ctx context.Context, config *rest.Config) {
	manager, err := ctrl.NewManager(config, ctrl.Options{LeaderElection: true, LeaderElectionID: "mirror.example.com",
		LeaderElectionNamespace: namespace, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		fail("a manager", err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.ConfigMap{}).
		Complete(mirror{manager.GetClient()})
	if err != nil {
		fail("a controller", err)
	}
	if err := manager.Start(ctx); err != nil {
		fail("the manager", err)
	}
}

func until(ctx context.Context, question func(context.Context) (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 20*time.Second, true, question)
}

func mirrored(ctx context.Context, direct client.Client, wanted string) error {
	return until(ctx, func(ctx context.Context) (bool, error) {
		var copied corev1.ConfigMap
		err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "source-mirror"}, &copied)
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return copied.Data["k"] == wanted, err
	})
}

func followsSource(ctx context.Context, direct client.Client) error {
	source := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "source", Namespace: namespace,
		Annotations: map[string]string{mark: "yes"}}, Data: map[string]string{"k": "v"}}
	if err := direct.Create(ctx, source); err != nil {
		return err
	}
	if err := mirrored(ctx, direct, "v"); err != nil {
		return err
	}
	change := client.MergeFrom(source.DeepCopy())
	source.Data["k"] = "w"
	if err := direct.Patch(ctx, source, change); err != nil {
		return err
	}
	return mirrored(ctx, direct, "w")
}

func patches(ctx context.Context, direct client.Client) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "go-manager-node"}}
	if err := direct.Create(ctx, node); err != nil {
		return err
	}
	change := client.StrategicMergeFrom(node.DeepCopy())
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: "Suite", Status: "True"})
	if err := direct.Status().Patch(ctx, node, change); err != nil {
		return err
	}
	found := false
	for _, condition := range node.Status.Conditions {
		found = found || condition.Type == "Suite"
	}
	if !found {
		return fmt.Errorf("the condition is not there: %v", node.Status.Conditions)
	}
	return direct.Delete(ctx, node)
}

func custom(ctx context.Context, direct client.Client) error {
	flavor := &unstructured.Unstructured{}
	flavor.SetGroupVersionKind(schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "ResourceFlavor"})
	flavor.SetName("go-manager-flavor")
	if err := direct.Create(ctx, flavor); err != nil {
		return err
	}
	// The platform writes to it, too.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(flavor), flavor); err != nil {
			return err
		}
		if err := unstructured.SetNestedField(flavor.Object, "b", "spec", "nodeLabels", "a"); err != nil {
			return err
		}
		return direct.Update(ctx, flavor)
	})
	if err != nil {
		return err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "ResourceFlavorList"})
	if err := direct.List(ctx, list); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("the list is empty")
	}
	return direct.Delete(ctx, flavor)
}

func goesAway(ctx context.Context, direct client.Client) error {
	source := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "source", Namespace: namespace}}
	if err := direct.Delete(ctx, source); err != nil {
		return err
	}
	return until(ctx, func(ctx context.Context) (bool, error) {
		for _, name := range []string{"source", "source-mirror"} {
			err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &corev1.ConfigMap{})
			if !apierrors.IsNotFound(err) {
				return false, err
			}
		}
		return true, nil
	})
}
