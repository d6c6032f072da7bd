/** The open nodes of a search, cheapest first. A node may be in it several times; the search drops what is outdated. */
export class NodeHeap {
  #keys = new Float64Array(1_024)
  #nodes = new Uint32Array(1_024)
  #size = 0

  get size(): number {
    return this.#size
  }

  clear(): void {
    this.#size = 0
  }

  minKey(): number {
    return this.#keys[0]!
  }

  push(key: number, node: number): void {
    if (this.#size === this.#keys.length) this.#grow()
    const [keys, nodes] = [this.#keys, this.#nodes]
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 2
      if (keys[parent]! <= key) break
      keys[at] = keys[parent]!
      nodes[at] = nodes[parent]!
      at = parent
    }
    keys[at] = key
    nodes[at] = node
  }

  /** Removes the cheapest node and returns it. */
  pop(): number {
    const [keys, nodes] = [this.#keys, this.#nodes]
    const top = nodes[0]!
    const size = --this.#size
    const [key, node] = [keys[size]!, nodes[size]!]
    let at = 0
    for (;;) {
      const first = at * 4 + 1
      if (first >= size) break
      let least = first
      const end = Math.min(first + 4, size)
      for (let child = first + 1; child < end; child++) if (keys[child]! < keys[least]!) least = child
      if (keys[least]! >= key) break
      keys[at] = keys[least]!
      nodes[at] = nodes[least]!
      at = least
    }
    keys[at] = key
    nodes[at] = node
    return top
  }

  #grow(): void {
    const [keys, nodes] = [this.#keys, this.#nodes]
    this.#keys = new Float64Array(keys.length * 2)
    this.#nodes = new Uint32Array(nodes.length * 2)
    this.#keys.set(keys)
    this.#nodes.set(nodes)
  }
}
