/** A box that is not as a plain recording has it, or damaged. */
export class NotPlain extends Error {}

export function expect(condition: boolean): asserts condition {
  if (!condition) throw new NotPlain()
}

interface Box {
  type: string
  /** Reading beyond its end throws a RangeError. */
  content: DataView
}

const MAX_BOXES = 64

/** The boxes inside of another one, all of which must be known. */
export class Boxes {
  readonly #boxes: Box[] = []

  constructor(parent: DataView, known: readonly string[]) {
    for (let at = 0; at < parent.byteLength; ) {
      const size = parent.getUint32(at)
      const type = readText(parent, at + 4, 4)
      expect(size >= 8 && known.includes(type) && this.#boxes.length < MAX_BOXES)
      this.#boxes.push({ type, content: part(parent, at + 8, size - 8) })
      at += size
    }
  }

  all(type: string): DataView[] {
    return this.#boxes.filter(box => box.type === type).map(({ content }) => content)
  }

  find(type: string): DataView | undefined {
    const [first, ...others] = this.all(type)
    expect(others.length === 0)
    return first
  }

  get(type: string): DataView {
    const content = this.find(type)
    expect(content !== undefined)
    return content
  }
}

export function part(view: DataView, start: number, length = view.byteLength - start): DataView {
  if (start + length > view.byteLength) throw new RangeError('a box ends beyond the one that holds it')
  return new DataView(view.buffer, view.byteOffset + start, length)
}

/** Latin letters, as codes of boxes are. */
export function readText(view: DataView, start: number, length: number): string {
  const { buffer, byteOffset } = part(view, start, length)
  return String.fromCharCode(...new Uint8Array(buffer, byteOffset, length))
}

const VISIBLE = /^[ -~]+$/

/** A name that every reader decodes alike. */
export function readName(view: DataView, start: number, length = view.byteLength - start): string {
  const name = readText(view, start, length).replace(/\0+$/, '')
  expect(VISIBLE.test(name))
  return name
}

/** The version of a box with versions must be the first one. */
export function requireFirstVersion(view: DataView): DataView {
  expect(view.getUint8(0) === 0)
  return view
}

/** A table of numbers of 32 bits after its count, `columns` in a row. */
export function readTable(view: DataView, columns: number, start = 4): number[] {
  const count = view.getUint32(start) * columns
  const cells = part(view, start + 4)
  expect(cells.byteLength === count * 4)
  return Array.from({ length: count }, (_, index) => cells.getUint32(index * 4))
}
