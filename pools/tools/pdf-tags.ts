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
import { movedObjects } from './pdf-layers.ts'
import { type Part, resolved } from './pdf-targets.ts'

const DEEPEST = 200
const MOST_MARKS = 100_000
/** Of an element: what leads elsewhere is made anew, or cannot be kept. */
const NOT_COPIED = new Set(['P', 'K', 'Pg', 'Ref'])

/** One tree of tags for all parts, with what stands on pages that were taken; tags of other pages tell nothing any more. */
export function writeTags(joined: PDF, resolve: Part['resolve'], parts: readonly Part[]): void {
  const catalog = joined.getCatalog()
  const tagged = parts.filter(part => rootOf(part))
  if (tagged.length === 0) return
  const tree = new TagTree(joined, resolve)
  for (const part of tagged) tree.add(part)
  catalog.set('StructTreeRoot', tree.finished())
  const isWhole = tagged.length === parts.length
  catalog.set('MarkInfo', PdfDict.of({ Marked: PdfBool.of(true), ...(isWhole ? {} : { Suspects: PdfBool.of(true) }) }))
}

function rootOf({ pdf, resolve }: Pick<Part, 'pdf' | 'resolve'>): PdfDict | undefined {
  return pdf.getCatalog().getDict('StructTreeRoot', resolve)
}

interface Copied {
  kid: PdfObject
  /** Stands on a page that is there, itself or something below it. */
  isReal: boolean
}

/** The part that is copied from at the moment. */
interface Source {
  part: Part
  objects: Map<PdfRef, PdfRef>
  seen: Set<PdfDict>
  copies: Map<PdfRef, PdfRef>
}

class TagTree {
  private readonly joined: PDF
  private readonly resolve: Part['resolve']
  private readonly root = new PdfDict([['Type', PdfName.of('StructTreeRoot')]])
  private readonly rootRef: PdfRef
  private readonly tops: PdfObject[] = []
  /** Pages and forms by the elements of their marked contents, other objects by their element. */
  private readonly contents = new Map<PdfRef, PdfRef[]>()
  private readonly objects = new Map<PdfRef, PdfRef>()
  private readonly ids = new Map<string, PdfRef>()

  constructor(joined: PDF, resolve: Part['resolve']) {
    this.joined = joined
    this.resolve = resolve
    this.rootRef = joined.register(this.root)
  }

  add(part: Part): void {
    const objects = movedObjects(this.joined, this.resolve, part)
    const source: Source = { part, objects, seen: new Set(), copies: new Map() }
    const root = rootOf(part)!
    const kids = this.kidsOf(source, root.get('K'), this.rootRef, undefined, 0)
    this.tops.push(...kids.map(({ kid }) => kid))
    for (const name of ['RoleMap', 'ClassMap']) this.mergeMap(source, name, root.getDict(name, part.resolve))
    const spaces = root.getArray('Namespaces', part.resolve)?.toArray() ?? []
    const known = this.root.getArray('Namespaces')?.toArray() ?? []
    const all = [...known, ...spaces.map(space => this.copied(source, space, 0))]
    if (all.length > 0) this.root.set('Namespaces', PdfArray.of(...all))
  }

  /** Hangs the tags on their root and tells every page where its own are. */
  finished(): PdfRef {
    const owners = [...this.joined.getPages().map(({ dict }) => dict)]
    for (const owner of owners) owner.delete('StructParents')
    const numbers: PdfObject[] = []
    const next = () => PdfNumber.of(numbers.length / 2)
    for (const [owner, elements] of this.contents) {
      const key = next()
      dictAt(owner, this.resolve)?.set('StructParents', key)
      const list = Array.from(elements, element => element ?? PdfNull.instance)
      numbers.push(key, PdfArray.of(...list))
    }
    for (const [owner, element] of this.objects) {
      const key = next()
      dictAt(owner, this.resolve)?.set('StructParent', key)
      numbers.push(key, element)
    }
    this.root.set('K', PdfArray.of(...this.tops))
    this.root.set('ParentTree', this.joined.register(PdfDict.of({ Nums: PdfArray.of(...numbers) })))
    this.root.set('ParentTreeNextKey', next())
    const ids = [...this.ids].sort(([a], [b]) => (a < b ? -1 : 1))
    const names = ids.flatMap(([id, ref]) => [PdfString.fromBytes(Buffer.from(id, 'latin1')), ref])
    if (names.length > 0) this.root.set('IDTree', this.joined.register(PdfDict.of({ Names: PdfArray.of(...names) })))
    return this.rootRef
  }

  private kidsOf(
    source: Source,
    given: PdfObject | undefined,
    parent: PdfRef,
    page: PdfRef | undefined,
    depth: number,
  ): Copied[] {
    const found = resolved(source.part, given)
    const list = found instanceof PdfArray ? found.toArray() : given ? [given] : []
    if (depth > DEEPEST) return []
    return list.flatMap(item => this.kidOf(source, item, parent, page, depth) ?? [])
  }

  private kidOf(
    source: Source,
    item: PdfObject,
    parent: PdfRef,
    page: PdfRef | undefined,
    depth: number,
  ): Copied | undefined {
    const value = resolved(source.part, item)
    if (value instanceof PdfNumber) return this.marked(value, parent, page, page)
    if (!(value instanceof PdfDict) || source.seen.has(value)) return undefined
    source.seen.add(value)
    const own = value.getRef('Pg')
    const onPage = own ? source.part.moved.get(own.objectNumber) : page
    const type = value.getName('Type', source.part.resolve)?.value
    if (type === 'MCR') return this.reference(source, value, parent, onPage)
    if (type === 'OBJR') return this.object(source, value, parent, onPage)
    return this.element(source, value, { parent, page: onPage, hasOwnPage: own !== undefined, depth })
  }

  /** Contents that are marked by a number, on a page or in a form that the page draws. */
  private marked(
    number: PdfNumber,
    parent: PdfRef,
    owner: PdfRef | undefined,
    page: PdfRef | undefined,
  ): Copied | undefined {
    if (!owner || !page || number.value < 0 || number.value > MOST_MARKS) return undefined
    const elements = this.contents.get(owner) ?? []
    elements[number.value] = parent
    this.contents.set(owner, elements)
    return { kid: number, isReal: true }
  }

  private reference(source: Source, value: PdfDict, parent: PdfRef, page: PdfRef | undefined): Copied | undefined {
    const number = value.getNumber('MCID', source.part.resolve)
    const form = value.getRef('Stm')
    const owner = form ? source.objects.get(form) : page
    const kid = number && this.marked(number, parent, owner, page)
    if (!kid) return undefined
    const copy = PdfDict.of({ Type: PdfName.of('MCR'), Pg: page!, MCID: number! })
    if (form) copy.set('Stm', owner!)
    return { kid: copy, isReal: true }
  }

  private object(source: Source, value: PdfDict, parent: PdfRef, page: PdfRef | undefined): Copied | undefined {
    const ref = value.getRef('Obj')
    const moved = ref && source.objects.get(ref)
    if (!moved) return undefined
    this.objects.set(moved, parent)
    const copy = PdfDict.of({ Type: PdfName.of('OBJR'), Obj: moved })
    if (page) copy.set('Pg', page)
    return { kid: copy, isReal: true }
  }

  /** An element of which nothing is left goes; an empty one stays where something beside it does. */
  private element(
    source: Source,
    value: PdfDict,
    {
      parent,
      page,
      hasOwnPage,
      depth,
    }: { parent: PdfRef; page: PdfRef | undefined; hasOwnPage: boolean; depth: number },
  ): Copied | undefined {
    const copy = new PdfDict([['P', parent]])
    const ref = this.joined.register(copy)
    const kids = this.kidsOf(source, value.get('K'), ref, page, depth + 1)
    const isEmpty = !value.has('K')
    const isReal = kids.some(kid => kid.isReal) || (isEmpty && hasOwnPage && page !== undefined)
    if (!isReal && !(isEmpty && !hasOwnPage)) return undefined
    this.fill(source, value, copy)
    if (page) copy.set('Pg', page)
    if (kids.length > 0) copy.set('K', PdfArray.of(...kids.map(({ kid }) => kid)))
    const id = keyOf(copy.getString('ID', this.resolve))
    if (id !== undefined && !this.ids.has(id)) this.ids.set(id, ref)
    return { kid: ref, isReal }
  }

  private fill(source: Source, value: PdfDict, copy: PdfDict): void {
    for (const [name, item] of value) {
      if (!NOT_COPIED.has(name.value)) copy.set(name, this.copied(source, item, 0))
    }
  }

  private mergeMap(source: Source, name: string, map: PdfDict | undefined): void {
    if (!map) return
    const known = this.root.getDict(name) ?? new PdfDict()
    for (const [key, value] of map) if (!known.has(key)) known.set(key, this.copied(source, value, 0))
    this.root.set(name, known)
  }

  /** Values of attributes and the like, with all that they lead to. */
  private copied(source: Source, item: PdfObject, depth: number): PdfObject {
    if (depth > DEEPEST) return PdfNull.instance
    if (item instanceof PdfRef) return this.copiedRef(source, item, depth)
    if (item instanceof PdfArray)
      return PdfArray.of(...item.toArray().map(inner => this.copied(source, inner, depth + 1)))
    if (!(item instanceof PdfDict)) return item
    const entries = [...item].map(([name, inner]) => [name, this.copied(source, inner, depth + 1)] as const)
    return item instanceof PdfStream
      ? new PdfStream(entries as [PdfName, PdfObject][], item.data)
      : new PdfDict(entries as [PdfName, PdfObject][])
  }

  private copiedRef(source: Source, item: PdfRef, depth: number): PdfObject {
    const known = source.copies.get(item) ?? source.objects.get(item)
    if (known) return known
    const value = source.part.resolve(item)
    if (!value || leadsAway(value, source.part)) return PdfNull.instance
    const { registry } = this.joined.context
    const ref = registry.allocateRef()
    source.copies.set(item, ref)
    registry.registerAt(ref, this.copied(source, value, depth + 1))
    return ref
  }
}

function dictAt(ref: PdfRef, resolve: Part['resolve']): PdfDict | undefined {
  const found = resolve(ref)
  return found instanceof PdfDict ? found : undefined
}

function keyOf(id: PdfString | undefined): string | undefined {
  return id && Buffer.from(id.bytes).toString('latin1')
}

const ELSEWHERE = ['Page', 'Pages', 'Catalog', 'StructElem', 'StructTreeRoot', 'Annot']

function leadsAway(value: PdfObject, { resolve }: Part): boolean {
  return value instanceof PdfDict && ELSEWHERE.includes(value.getName('Type', resolve)?.value ?? '')
}
