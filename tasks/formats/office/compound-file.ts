/** A compound file (MS-CFB, version 3): the container of encrypted and old Office documents. */

const SECTOR = 512
const MINI_SECTOR = 64
/** Shorter streams are kept in mini sectors. */
const MINI_LIMIT = 4096
const ENTRY_BYTES = 128
const ENTRIES_PER_SECTOR = SECTOR / 4
/** The header names this many sectors of the allocation table; further ones are named by sectors of their own. */
const NAMED_BY_HEADER = 109
const [DOUBLE_TABLE, TABLE, END, FREE] = [0xff_ff_ff_fc, 0xff_ff_ff_fd, 0xff_ff_ff_fe, 0xff_ff_ff_ff]
const SIGNATURE = 'd0cf11e0a1b11ae1'

export interface CompoundStream {
  /** The names of its storages and its own. */
  path: readonly string[]
  sizeBytes: number
}

interface CompoundLayout {
  /** Where the bytes of each stream begin in the file, in the order in which the streams were given. */
  offsets: number[]
  /** What the file consists of besides the streams. The bytes between are zero. */
  parts: { offset: number; bytes: Buffer }[]
  sizeBytes: number
}

interface Item {
  name: string
  kind: 'root' | 'storage' | 'stream'
  sizeBytes: number
  start: number
  children: Item[]
}

/** Plans a compound file, each of whose streams is one piece, so that large ones can be written as they are made. */
export function planCompoundFile(streams: readonly CompoundStream[]): CompoundLayout {
  const isLarge = ({ sizeBytes }: CompoundStream) => sizeBytes >= MINI_LIMIT
  const table: number[] = []
  const starts = new Map<CompoundStream, number>()
  for (const stream of streams.filter(isLarge)) starts.set(stream, addChain(table, count(stream.sizeBytes, SECTOR)))
  const miniTable: number[] = []
  for (const stream of streams.filter(stream => !isLarge(stream)))
    starts.set(stream, addChain(miniTable, count(stream.sizeBytes, MINI_SECTOR)))
  const miniBytes = miniTable.length * MINI_SECTOR
  const miniStart = addChain(table, count(miniBytes, SECTOR))
  const miniTableStart = addChain(table, count(miniTable.length, ENTRIES_PER_SECTOR))
  const root: Item = { name: 'Root Entry', kind: 'root', sizeBytes: miniBytes, start: miniStart, children: [] }
  for (const stream of streams) addItem(root, stream, starts.get(stream)!)
  const entries = renderDirectory(root)
  const directoryStart = addChain(table, entries.length / SECTOR)
  const { tableStart, tableSectors, namesStart, nameSectors } = addTable(table)
  const header = renderHeader({
    tableSectors,
    directoryStart,
    miniTableStart,
    miniTableSectors: count(miniTable.length, ENTRIES_PER_SECTOR),
    namesStart: nameSectors > 0 ? namesStart : END,
    nameSectors,
    tableStart,
  })
  return {
    offsets: streams.map(stream =>
      isLarge(stream)
        ? toOffset(starts.get(stream)!)
        : toOffset(miniStart) + (stream.sizeBytes > 0 ? starts.get(stream)! * MINI_SECTOR : 0),
    ),
    parts: [
      { offset: 0, bytes: header },
      ...(miniTable.length > 0 ? [{ offset: toOffset(miniTableStart), bytes: renderTable(miniTable) }] : []),
      { offset: toOffset(directoryStart), bytes: entries },
      { offset: toOffset(tableStart), bytes: renderTable(table) },
      { offset: toOffset(namesStart), bytes: nameTable(tableStart, tableSectors, namesStart, nameSectors) },
    ],
    sizeBytes: toOffset(table.length),
  }
}

const count = (size: number, unit: number) => Math.ceil(size / unit)
const toOffset = (sector: number) => (sector + 1) * SECTOR

/** Adds a chain of neighbours and returns its first sector. */
function addChain(table: number[], length: number): number {
  if (length === 0) return END
  const start = table.length
  for (let sector = 1; sector < length; sector++) table.push(start + sector)
  table.push(END)
  return start
}

/** Adds the sectors of the allocation table itself, and those that name them beyond the header. */
function addTable(table: number[]) {
  let tableSectors = 0
  let nameSectors = 0
  for (let before = -1; before !== tableSectors + nameSectors; ) {
    before = tableSectors + nameSectors
    tableSectors = count(table.length + tableSectors + nameSectors, ENTRIES_PER_SECTOR)
    nameSectors = count(Math.max(0, tableSectors - NAMED_BY_HEADER), ENTRIES_PER_SECTOR - 1)
  }
  const tableStart = table.length
  for (let sector = 0; sector < tableSectors; sector++) table.push(TABLE)
  for (let sector = 0; sector < nameSectors; sector++) table.push(DOUBLE_TABLE)
  return { tableStart, tableSectors, namesStart: tableStart + tableSectors, nameSectors }
}

function renderTable(table: readonly number[]): Buffer {
  const bytes = Buffer.alloc(count(table.length, ENTRIES_PER_SECTOR) * SECTOR, 0xff)
  for (const [index, value] of table.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

function nameTable(tableStart: number, tableSectors: number, namesStart: number, nameSectors: number): Buffer {
  const bytes = Buffer.alloc(nameSectors * SECTOR, 0xff)
  for (let named = NAMED_BY_HEADER; named < tableSectors; named++) {
    const place = named - NAMED_BY_HEADER
    const sector = Math.floor(place / (ENTRIES_PER_SECTOR - 1))
    bytes.writeUInt32LE(tableStart + named, sector * SECTOR + (place % (ENTRIES_PER_SECTOR - 1)) * 4)
  }
  for (let sector = 1; sector <= nameSectors; sector++)
    bytes.writeUInt32LE(sector < nameSectors ? namesStart + sector : END, sector * SECTOR - 4)
  return bytes
}

function renderHeader(fields: Record<string, number> & { tableSectors: number; tableStart: number }): Buffer {
  const bytes = Buffer.alloc(SECTOR)
  bytes.write(SIGNATURE, 'hex')
  // The minor and major version, the order of bytes, and the sizes of sectors and mini sectors as powers of two.
  for (const [index, value] of [0x3e, 3, 0xff_fe, 9, 6].entries()) bytes.writeUInt16LE(value, 24 + index * 2)
  bytes.writeUInt32LE(fields.tableSectors, 44)
  bytes.writeUInt32LE(fields.directoryStart!, 48)
  bytes.writeUInt32LE(MINI_LIMIT, 56)
  bytes.writeUInt32LE(fields.miniTableStart!, 60)
  bytes.writeUInt32LE(fields.miniTableSectors!, 64)
  bytes.writeUInt32LE(fields.namesStart!, 68)
  bytes.writeUInt32LE(fields.nameSectors!, 72)
  for (let named = 0; named < NAMED_BY_HEADER; named++)
    bytes.writeUInt32LE(named < fields.tableSectors ? fields.tableStart + named : FREE, 76 + named * 4)
  return bytes
}

function addItem(root: Item, { path, sizeBytes }: CompoundStream, start: number): void {
  let storage = root
  for (const name of path.slice(0, -1)) {
    let child = storage.children.find(item => item.name === name)
    if (!child) {
      child = { name, kind: 'storage', sizeBytes: 0, start: 0, children: [] }
      storage.children.push(child)
    }
    storage = child
  }
  storage.children.push({ name: path.at(-1)!, kind: 'stream', sizeBytes, start, children: [] })
}

/** The directory: each storage has a red-black tree of its children, ordered by the length of their names first. */
function renderDirectory(root: Item): Buffer {
  const items: Item[] = []
  const collect = (item: Item) => {
    items.push(item)
    item.children.sort(
      (a, b) => a.name.length - b.name.length || (a.name.toUpperCase() < b.name.toUpperCase() ? -1 : 1),
    )
    item.children.forEach(collect)
  }
  collect(root)
  const bytes = Buffer.alloc(count(items.length * ENTRY_BYTES, SECTOR) * SECTOR)
  // Entries that are not used name no siblings and no child.
  for (let offset = 0; offset < bytes.length; offset += ENTRY_BYTES) bytes.fill(0xff, offset + 68, offset + 80)
  const place = (item: Item) => items.indexOf(item) * ENTRY_BYTES
  for (const item of items) {
    renderEntry(bytes.subarray(place(item), place(item) + ENTRY_BYTES), item)
    const depth = Math.floor(Math.log2(item.children.length + 1))
    const link = (children: Item[], level: number): number => {
      if (children.length === 0) return FREE
      const middle = children.length >> 1
      const entry = place(children[middle]!)
      // The levels above are full, so that only the last one is red.
      bytes[entry + 67] = level < depth ? 1 : 0
      bytes.writeUInt32LE(link(children.slice(0, middle), level + 1), entry + 68)
      bytes.writeUInt32LE(link(children.slice(middle + 1), level + 1), entry + 72)
      return entry / ENTRY_BYTES
    }
    bytes.writeUInt32LE(link(item.children, 0), place(item) + 76)
  }
  return bytes
}

function renderEntry(entry: Buffer, { name, kind, sizeBytes, start }: Item): void {
  entry.write(name, 'utf16le')
  entry.writeUInt16LE((name.length + 1) * 2, 64)
  entry[66] = { root: 5, storage: 1, stream: 2 }[kind]
  entry[67] = 1
  entry.writeUInt32LE(start, 116)
  entry.writeUInt32LE(sizeBytes, 120)
}
