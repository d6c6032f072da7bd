import {
  type PDF,
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNull,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from '@libpdf/core'
import { type Resolve, resolveDict } from '../objects.ts'
import { resolveValue, type SourcePart } from './destinations.ts'
import { mapMovedObjects } from './layers.ts'

const MAX_DEPTH = 200
const MAX_MARKED_CONTENT_ID = 100_000
/** Entries of an element that are written anew or cannot be kept. */
const NOT_COPIED = new Set(['P', 'K', 'Pg', 'Ref'])

/** Writes one structure tree for all parts, limited to the content of pages that were taken. */
export function writeTags(joined: PDF, resolve: Resolve, parts: readonly SourcePart[]): void {
  const catalog = joined.getCatalog()
  const tagged = parts.filter(part => structTreeRootOf(part))
  if (tagged.length === 0) return
  const tree = new TagTree(joined, resolve)
  for (const part of tagged) tree.add(part)
  catalog.set('StructTreeRoot', tree.writeRoot())
  const isFullyTagged = tagged.length === parts.length
  catalog.set(
    'MarkInfo',
    PdfDict.of({ Marked: PdfBool.of(true), ...(isFullyTagged ? {} : { Suspects: PdfBool.of(true) }) }),
  )
}

function structTreeRootOf({ pdf, resolve }: Pick<SourcePart, 'pdf' | 'resolve'>): PdfDict | undefined {
  return pdf.getCatalog().getDict('StructTreeRoot', resolve)
}

interface CopiedKid {
  kid: PdfObject
  /** The element or one below it has content on a page that was taken. */
  hasContent: boolean
}

/** The part being copied. */
interface CopySource {
  part: SourcePart
  objects: Map<PdfRef, PdfRef>
  seen: Set<PdfDict>
  copies: Map<PdfRef, PdfRef>
}

class TagTree {
  readonly #joined: PDF
  readonly #resolve: Resolve
  readonly #root = new PdfDict([['Type', PdfName.of('StructTreeRoot')]])
  readonly #rootRef: PdfRef
  readonly #rootKids: PdfObject[] = []
  /** The elements of marked content, by page or form and by content number. */
  readonly #contentElements = new Map<PdfRef, PdfRef[]>()
  readonly #objectElements = new Map<PdfRef, PdfRef>()
  readonly #ids = new Map<string, PdfRef>()

  constructor(joined: PDF, resolve: Resolve) {
    this.#joined = joined
    this.#resolve = resolve
    this.#rootRef = joined.register(this.#root)
  }

  add(part: SourcePart): void {
    const objects = mapMovedObjects(this.#joined, this.#resolve, part)
    const source: CopySource = { part, objects, seen: new Set(), copies: new Map() }
    const root = structTreeRootOf(part)!
    const kids = this.#copyKids(source, root.get('K'), this.#rootRef, undefined, 0)
    this.#rootKids.push(...kids.map(({ kid }) => kid))
    for (const name of ['RoleMap', 'ClassMap']) this.#mergeMap(source, name, root.getDict(name, part.resolve))
    const spaces = root.getArray('Namespaces', part.resolve)?.toArray() ?? []
    const known = this.#root.getArray('Namespaces')?.toArray() ?? []
    const all = [...known, ...spaces.map(space => this.#copyValue(source, space, 0))]
    if (all.length > 0) this.#root.set('Namespaces', PdfArray.of(...all))
  }

  /** Completes the root and the parent tree, by which readers find the elements of a page. */
  writeRoot(): PdfRef {
    for (const { dict } of this.#joined.getPages()) dict.delete('StructParents')
    const parentTree: PdfObject[] = []
    const nextKey = () => PdfNumber.of(parentTree.length / 2)
    for (const [owner, elements] of this.#contentElements) {
      const key = nextKey()
      resolveDict(owner, this.#resolve)?.set('StructParents', key)
      const list = Array.from(elements, element => element ?? PdfNull.instance)
      parentTree.push(key, PdfArray.of(...list))
    }
    for (const [owner, element] of this.#objectElements) {
      const key = nextKey()
      resolveDict(owner, this.#resolve)?.set('StructParent', key)
      parentTree.push(key, element)
    }
    this.#root.set('K', PdfArray.of(...this.#rootKids))
    this.#root.set('ParentTree', this.#joined.register(PdfDict.of({ Nums: PdfArray.of(...parentTree) })))
    this.#root.set('ParentTreeNextKey', nextKey())
    const ids = [...this.#ids].sort(([a], [b]) => (a < b ? -1 : 1))
    const names = ids.flatMap(([id, ref]) => [PdfString.fromBytes(Buffer.from(id, 'latin1')), ref])
    if (names.length > 0) this.#root.set('IDTree', this.#joined.register(PdfDict.of({ Names: PdfArray.of(...names) })))
    return this.#rootRef
  }

  #copyKids(
    source: CopySource,
    given: PdfObject | undefined,
    parent: PdfRef,
    page: PdfRef | undefined,
    depth: number,
  ): CopiedKid[] {
    const found = resolveValue(source.part, given)
    const list = found instanceof PdfArray ? found.toArray() : given ? [given] : []
    if (depth > MAX_DEPTH) return []
    return list.flatMap(item => this.#copyKid(source, item, parent, page, depth) ?? [])
  }

  #copyKid(
    source: CopySource,
    item: PdfObject,
    parent: PdfRef,
    page: PdfRef | undefined,
    depth: number,
  ): CopiedKid | undefined {
    const value = resolveValue(source.part, item)
    if (value instanceof PdfNumber) return this.#copyMarkedContent(value, parent, page, page)
    if (!(value instanceof PdfDict) || source.seen.has(value)) return undefined
    source.seen.add(value)
    const ownPage = value.getRef('Pg')
    const newPage = ownPage ? source.part.movedPages.get(ownPage.objectNumber) : page
    const type = value.getName('Type', source.part.resolve)?.value
    if (type === 'MCR') return this.#copyContentReference(source, value, parent, newPage)
    if (type === 'OBJR') return this.#copyObjectReference(source, value, parent, newPage)
    return this.#copyElement(source, value, { parent, page: newPage, hasOwnPage: ownPage !== undefined, depth })
  }

  /** Marked content has a number that is unique within its page or form. */
  #copyMarkedContent(
    number: PdfNumber,
    parent: PdfRef,
    owner: PdfRef | undefined,
    page: PdfRef | undefined,
  ): CopiedKid | undefined {
    if (!owner || !page || number.value < 0 || number.value > MAX_MARKED_CONTENT_ID) return undefined
    const elements = this.#contentElements.get(owner) ?? []
    elements[number.value] = parent
    this.#contentElements.set(owner, elements)
    return { kid: number, hasContent: true }
  }

  #copyContentReference(
    source: CopySource,
    value: PdfDict,
    parent: PdfRef,
    page: PdfRef | undefined,
  ): CopiedKid | undefined {
    const number = value.getNumber('MCID', source.part.resolve)
    const form = value.getRef('Stm')
    const owner = form ? source.objects.get(form) : page
    const kid = number && this.#copyMarkedContent(number, parent, owner, page)
    if (!kid) return undefined
    const copy = PdfDict.of({ Type: PdfName.of('MCR'), Pg: page!, MCID: number! })
    if (form) copy.set('Stm', owner!)
    return { kid: copy, hasContent: true }
  }

  #copyObjectReference(
    source: CopySource,
    value: PdfDict,
    parent: PdfRef,
    page: PdfRef | undefined,
  ): CopiedKid | undefined {
    const ref = value.getRef('Obj')
    const moved = ref && source.objects.get(ref)
    if (!moved) return undefined
    this.#objectElements.set(moved, parent)
    const copy = PdfDict.of({ Type: PdfName.of('OBJR'), Obj: moved })
    if (page) copy.set('Pg', page)
    return { kid: copy, hasContent: true }
  }

  /** Drops an element if all of its content was on other pages. An element that never had content stays. */
  #copyElement(
    source: CopySource,
    value: PdfDict,
    {
      parent,
      page,
      hasOwnPage,
      depth,
    }: { parent: PdfRef; page: PdfRef | undefined; hasOwnPage: boolean; depth: number },
  ): CopiedKid | undefined {
    const copy = new PdfDict([['P', parent]])
    const ref = this.#joined.register(copy)
    const kids = this.#copyKids(source, value.get('K'), ref, page, depth + 1)
    const isEmpty = !value.has('K')
    const hasContent = kids.some(kid => kid.hasContent) || (isEmpty && hasOwnPage && page !== undefined)
    if (!hasContent && !(isEmpty && !hasOwnPage)) return undefined
    this.#copyEntries(source, value, copy)
    if (page) copy.set('Pg', page)
    if (kids.length > 0) copy.set('K', PdfArray.of(...kids.map(({ kid }) => kid)))
    const id = idKey(copy.getString('ID', this.#resolve))
    if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, ref)
    return { kid: ref, hasContent }
  }

  #copyEntries(source: CopySource, value: PdfDict, copy: PdfDict): void {
    for (const [name, item] of value) {
      if (!NOT_COPIED.has(name.value)) copy.set(name, this.#copyValue(source, item, 0))
    }
  }

  #mergeMap(source: CopySource, name: string, map: PdfDict | undefined): void {
    if (!map) return
    const known = this.#root.getDict(name) ?? new PdfDict()
    for (const [key, value] of map) if (!known.has(key)) known.set(key, this.#copyValue(source, value, 0))
    this.#root.set(name, known)
  }

  /** Copies a value with everything it refers to. */
  #copyValue(source: CopySource, item: PdfObject, depth: number): PdfObject {
    if (depth > MAX_DEPTH) return PdfNull.instance
    if (item instanceof PdfRef) return this.#copyRef(source, item, depth)
    if (item instanceof PdfArray)
      return PdfArray.of(...item.toArray().map(inner => this.#copyValue(source, inner, depth + 1)))
    if (!(item instanceof PdfDict)) return item
    const entries = [...item].map(([name, inner]) => [name, this.#copyValue(source, inner, depth + 1)] as const)
    return item instanceof PdfStream
      ? new PdfStream(entries as [PdfName, PdfObject][], item.data)
      : new PdfDict(entries as [PdfName, PdfObject][])
  }

  #copyRef(source: CopySource, item: PdfRef, depth: number): PdfObject {
    const known = source.copies.get(item) ?? source.objects.get(item)
    if (known) return known
    const value = source.part.resolve(item)
    if (!value || isForeign(value, source.part)) return PdfNull.instance
    const { registry } = this.#joined.context
    const ref = registry.allocateRef()
    source.copies.set(item, ref)
    registry.registerAt(ref, this.#copyValue(source, value, depth + 1))
    return ref
  }
}

function idKey(id: PdfString | undefined): string | undefined {
  return id && Buffer.from(id.bytes).toString('latin1')
}

const FOREIGN_TYPES = ['Page', 'Pages', 'Catalog', 'StructElem', 'StructTreeRoot', 'Annot']

function isForeign(value: PdfObject, { resolve }: SourcePart): boolean {
  return value instanceof PdfDict && FOREIGN_TYPES.includes(value.getName('Type', resolve)?.value ?? '')
}
