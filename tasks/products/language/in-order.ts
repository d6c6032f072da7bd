/** At most so many at once, the answers in order. The first error ends it. */
export async function mapInOrder<Item, Answer>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers = new Array<Answer>(items.length)
  let next = 0
  const run = async (): Promise<void> => {
    try {
      for (let index = next++; index < items.length; index = next++) answers[index] = await work(items[index]!, index)
    } catch (error) {
      next = items.length
      throw error
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, run))
  return answers
}
