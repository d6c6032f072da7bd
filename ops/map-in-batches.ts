/** Works on some items at once and yields what comes of them, in their order. */
export async function* mapInBatches<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield* await Promise.all(batch.map(work))
    batch = []
  }
  yield* await Promise.all(batch.map(work))
}
