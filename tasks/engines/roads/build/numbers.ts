/** Numbers in an array that grows. */
export class Numbers {
  #values = new Float64Array(1_024)
  length = 0

  constructor(values: readonly number[] = []) {
    for (const value of values) this.push(value)
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  view(): Float64Array {
    return this.#values.subarray(0, this.length)
  }
}
