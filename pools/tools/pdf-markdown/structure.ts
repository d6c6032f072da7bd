/** What a tagged document says of its text: it is trusted before positions and font sizes. */
export type TaggedText =
  | { kind: 'heading'; level: number; key: string }
  | { kind: 'item'; depth: number; key: string }
  | { kind: 'row'; table: number; cells: string[]; key: string }

interface Node {
  tag: string
  depth: number
  id?: string
  /** Header cells that the node names. */
  headers: string[]
  text: string
  children: Node[]
}

/** Text without what differs between two readers of one page. */
export function toKey(text: string): string {
  return text.normalize('NFKC').replaceAll(/[\s\u00ad]+/g, '')
}

/** Deeper nodes count as children of this depth. */
const MAX_DEPTH = 100

/** Reads the outline that `pdfinfo -struct-text` prints: a node, an attribute or a quoted text a line, indented by its depth. */
export function parseStructure(outline: string): TaggedText[] {
  const root = createNode('', -1)
  const open = [root]
  for (const line of outline.split('\n')) {
    const content = line.trim()
    if (content.startsWith('/Headers')) open.at(-1)!.headers.push(...readHeaders(content))
    if (content === '' || content.startsWith('/')) continue
    const node = createNode(content, line.search(/\S/))
    while (open.at(-1)!.depth >= node.depth) open.pop()
    open.at(-1)!.children.push(node)
    if (open.length < MAX_DEPTH) open.push(node)
  }
  const found: TaggedText[] = []
  collect(root, { listDepth: 0, tables: { count: 0 } }, found)
  return found.filter(({ key }) => key !== '')
}

function createNode(content: string, depth: number): Node {
  const text = /^"(.*)"$/.exec(content)?.[1]
  const tag = text === undefined ? (/^[A-Za-z0-9]+/.exec(content)?.[0] ?? '') : '#text'
  return { tag, depth, id: /<([^>]*)>/.exec(content)?.[1], headers: [], text: text ?? '', children: [] }
}

function readHeaders(attribute: string): string[] {
  return [...attribute.matchAll(/\(([^)]*)\)/g)].map(([, id]) => id!)
}

interface Place {
  listDepth: number
  tables: { count: number }
}

function collect(node: Node, place: Place, found: TaggedText[]): void {
  const { tag, children } = node
  if (/^H[1-6]$/.test(tag)) found.push({ kind: 'heading', level: Number(tag[1]), key: toKey(textOf(node)) })
  else if (tag === 'Table') collectRows(node, place.tables.count++, found)
  else if (tag === 'LI') collectItem(node, place, found)
  else {
    const inside = tag === 'L' ? { ...place, listDepth: place.listDepth + 1 } : place
    for (const child of children) collect(child, inside, found)
  }
}

function collectItem(node: Node, place: Place, found: TaggedText[]): void {
  found.push({ kind: 'item', depth: Math.max(0, place.listDepth - 1), key: toKey(textOf(node, 'L')) })
  for (const list of listsIn(node)) collect(list, place, found)
}

function listsIn({ children }: Node): Node[] {
  return children.flatMap(child => (child.tag === 'L' ? [child] : listsIn(child)))
}

function collectRows(table: Node, number: number, found: TaggedText[]): void {
  const columns = new Map<string, number>()
  for (const row of rowsIn(table)) {
    const cells = readCells(row, columns)
    found.push({ kind: 'row', table: number, cells, key: toKey(cells.join('')) })
  }
}

/** A cell without text is not in the outline, so a cell stands in the column of the header that it names. */
function readCells(row: Node, columns: Map<string, number>): string[] {
  const cells: string[] = []
  for (const cell of row.children.filter(({ tag }) => tag === 'TH' || tag === 'TD')) {
    const column = cell.headers.flatMap(id => columns.get(id) ?? []).find(number => number >= cells.length)
    while (cells.length < (column ?? 0)) cells.push('')
    if (cell.tag === 'TH' && cell.id) columns.set(cell.id, cells.length)
    cells.push(textOf(cell).trim())
  }
  return cells
}

function rowsIn({ children }: Node): Node[] {
  return children.flatMap(child => {
    if (child.tag === 'TR') return [child]
    return child.tag === 'Table' ? [] : rowsIn(child)
  })
}

function textOf(node: Node, without?: string): string {
  if (node.tag === '#text') return node.text
  return node.children
    .filter(({ tag }) => tag !== without)
    .map(child => textOf(child, without))
    .join('')
}
