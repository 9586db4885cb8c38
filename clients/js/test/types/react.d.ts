// As much of React's own types as the hooks and these tests mention. Programs have @types/react.
export type ReactNode = ReactElement | string | number | null | undefined | ReactNode[];
export interface ReactElement { readonly type: unknown; }
export declare function createElement(type: unknown, props?: object | null, ...children: ReactNode[]): ReactElement;

declare global {
  namespace JSX {
    interface Element extends ReactElement {}
    interface ElementChildrenAttribute { children: {}; }
    interface IntrinsicElements { [name: string]: object; }
  }
}
