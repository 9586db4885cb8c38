// Composables for Vue 3. The scope that calls one, usually a component, is the owner of what it
// shows: it ends with the scope.
import {
  computed, getCurrentInstance, inject, onMounted, onScopeDispose, shallowRef, toValue, watch,
} from "vue";
import { IDLE, LOADING, keyOf, nodeStore, setterOf } from "./store.js";

const KEY = Symbol("sluice-client");

/** A plugin that gives the client to all components: `app.use(createSluice(client))`. */
export function createSluice(client) {
  return { install: (app) => void app.provide(KEY, client) };
}

/** The client of the application. */
export function useClient() {
  const client = inject(KEY, undefined);
  if (!client) throw new Error("There is no client here: app.use(createSluice(client)) gives it.");
  return client;
}

/**
 * What is known of a node, each part as a ref, and `set`. The target may be a ref or a function,
 * and null as long as there is none. Outside components the client is among the options.
 */
export function useNode(target, { client = useClient(), ...options } = {}) {
  const state = shallowRef(toValue(target) ? LOADING : IDLE);
  let end = () => {};

  function follow() {
    end();
    const present = toValue(target);
    const store = present ? nodeStore(client, present, options) : undefined;
    const take = () => (state.value = store?.getState() ?? IDLE);
    end = store?.subscribe(take) ?? (() => {});
    take();
  }

  whenShown(() => {
    follow();
    watch(() => keyOf(toValue(target)), follow);
  });
  onScopeDispose(() => end());

  const refs = Object.keys(LOADING).map((part) => [part, computed(() => state.value[part])]);
  return {
    ...Object.fromEntries(refs),
    set: (value, given) => setterOf(client, toValue(target))(value, given),
  };
}

/** Several nodes of a graph, names and globs: `value` has their values by name. */
export function useNodes(graph, nodes, options) {
  return useNode(() => ({ graph: toValue(graph), nodes: toValue(nodes) }), options);
}

/** The state of the connection, as a ref. */
export function useConnection({ client = useClient() } = {}) {
  const state = shallowRef(client.state);
  let end = () => {};
  whenShown(() => {
    end = client.onState((next) => (state.value = next));
    state.value = client.state;
  });
  onScopeDispose(() => end());
  return state;
}

/** A component that is only rendered to text is never mounted, and never ends. */
function whenShown(begin) {
  if (getCurrentInstance()) onMounted(begin);
  else begin();
}
