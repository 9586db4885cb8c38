// As much of Vue's own types as the composables and these tests mention. Vue has its own.
export interface App { use(plugin: { install(app: App): void }): this; }
export interface Ref<T> { value: T; }
export interface ComputedRef<T> { readonly value: T; }
export type ShallowRef<T> = Ref<T>;
export type MaybeRefOrGetter<T> = T | Ref<T> | ComputedRef<T> | (() => T);
export declare function ref<T>(value: T): Ref<T>;
export declare function createApp(root: object): App;
