declare module '@mixmark-io/domino' {
  export function createDocument(html?: string, force?: boolean): DominoDocument
  export interface DominoNode {
    readonly nodeType: number
    readonly parentNode: DominoElement | null
    readonly nextSibling: DominoNode | null
    textContent: string
    remove(): void
  }
  export interface DominoElement extends DominoNode {
    readonly tagName: string
    readonly localName: string
    readonly outerHTML: string
    readonly attributes: ArrayLike<{ name: string; value: string }>
    innerHTML: string
    readonly firstChild: DominoNode | null
    getElementsByTagName(name: string): ArrayLike<DominoElement>
    getAttribute(name: string): string | null
    setAttribute(name: string, value: string): void
    removeAttribute(name: string): void
    querySelectorAll(selector: string): ArrayLike<DominoElement>
    querySelector(selector: string): DominoElement | null
    appendChild(node: DominoNode): void
    replaceWith(...nodes: (DominoNode | string)[]): void
    append(...nodes: (DominoNode | string)[]): void
  }
  export interface DominoDocument {
    readonly body: DominoElement
    readonly firstChild: DominoNode | null
    title: string
    querySelectorAll(selector: string): ArrayLike<DominoElement>
    querySelector(selector: string): DominoElement | null
    createTextNode(text: string): DominoNode
    createElement(name: string): DominoElement
  }
}

declare module '@joplin/turndown-plugin-gfm' {
  import type { Plugin } from 'turndown'

  export const gfm: Plugin
  export const tables: Plugin
  export const strikethrough: Plugin
  export const taskListItems: Plugin
}

declare module 'markdown-it-footnote' {
  import type MarkdownIt from 'markdown-it'

  export default function footnote(md: MarkdownIt): void
}

declare module 'markdown-it-emoji' {
  import type MarkdownIt from 'markdown-it'

  export function full(md: MarkdownIt): void
}

// It has types, but as an optional package it need not be there when they are checked.
declare module '@huggingface/tokenizers' {
  export class Tokenizer {
    constructor(tokenizer: object, config: object)
    encode(text: string): { ids: number[] }
  }
}

// The whole of it in one file, which is loaded in a tenth of the time that its 600 modules take.
declare module 'echarts/dist/echarts.esm.min' {
  export { init, setPlatformAPI } from 'echarts'
}
