import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import type { SanitizeCounts, SanitizePlan } from '../../../../tasks/formats/pdf/document.ts'
import type { Resolve } from '../objects.ts'

export type Kind = keyof SanitizePlan

/**
 * What is removed from a document, and what was. A removed object is emptied too, so that nothing of it is left if
 * another object refers to it.
 */
export class Removal {
  readonly plan: SanitizePlan
  readonly resolve: Resolve
  readonly counts: SanitizeCounts = { javascript: 0, actions: 0, links: 0, files: 0, media: 0, xfa: 0, metadata: 0 }
  readonly #emptied = new Set<PdfObject>()
  readonly #kept: ReadonlySet<PdfObject>

  /** `kept` is never emptied, such as a page that a hostile document passes off as an action. */
  constructor(plan: SanitizePlan, resolve: Resolve, kept: ReadonlySet<PdfObject>) {
    this.plan = plan
    this.resolve = resolve
    this.#kept = kept
  }

  isEmptied(value: PdfObject): boolean {
    return this.#emptied.has(value)
  }

  /** Counts each object once. */
  empty(item: PdfObject | undefined, kind: Kind): void {
    const value = this.follow(item)
    if (!value || this.#emptied.has(value)) return
    this.#emptied.add(value)
    this.counts[kind] += 1
    this.erase(value)
  }

  erase(item: PdfObject | undefined): void {
    const value = this.follow(item)
    if (!(value instanceof PdfDict) || this.#kept.has(value)) return
    for (const name of [...value].map(([key]) => key.value)) value.delete(name)
    if (value instanceof PdfStream) value.setData(new Uint8Array())
  }

  /** Deletes these entries of a dictionary, and returns how many there were. */
  deleteEntries(dict: PdfDict, names: readonly string[]): number {
    const found = names.filter(name => dict.has(name))
    for (const name of found) dict.delete(name)
    return found.length
  }

  follow(item: PdfObject | null | undefined): PdfObject | undefined {
    return (item instanceof PdfRef ? this.resolve(item) : item) ?? undefined
  }

  listItems(dict: PdfDict, name: string): PdfObject[] {
    const list = dict.get(name, this.resolve)
    return list instanceof PdfArray ? list.toArray() : []
  }
}
