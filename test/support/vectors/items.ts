const COLORS = ['red', 'green', 'blue']

/** Eight numbers from -1 to 1 each time, the same in every run. */
export function createValuesFrom(seed: number): () => number[] {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 32) * 2 - 1
  }
  return () => Array.from({ length: 8 }, () => Math.fround(random()))
}

/** Vectors to write, with metadata of each kind. */
export function createItems(createValues: () => number[]) {
  return Array.from({ length: 120 }, (_, at) => ({
    id: `v${at}`,
    values: createValues(),
    metadata: {
      ...{ n: at, share: at / 8 - 3, color: COLORS[at % 3]!, isEven: at % 2 === 0 },
      ...(at % 5 > 0 && { tags: [`t${at % 4}`, 'all'] }),
    },
  }))
}
