const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const
type Unit = keyof typeof SECONDS

const WORDS = new Map<string, Unit>([
  ...(['ms', 's', 'm', 'h', 'd', 'w'] as const).map(unit => [unit, unit] as const),
  ...([
    ['sec', 's'],
    ['second', 's'],
    ['min', 'm'],
    ['minute', 'm'],
    ['hour', 'h'],
    ['hr', 'h'],
    ['day', 'd'],
    ['week', 'w'],
  ] as const),
])

/** The unit that a field counts is the end of its name. */
const ENDS: readonly (readonly [RegExp, Unit])[] = [
  [/seconds?$|sec$/i, 's'],
  [/(?:^|[a-z_])ms$/i, 'ms'],
  [/minutes$/i, 'm'],
  [/hours$/i, 'h'],
  [/days$/i, 'd'],
]

const SPAN = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+?)s?$/i
const ISO = /^P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i

/** How many of the unit that a field counts are in `7d`, `2 hours` or `PT30M`. */
export function readSpan(name: string, text: string): number | undefined {
  const unit = ENDS.find(([end]) => end.test(name))?.[1]
  const seconds = unit && readSeconds(text.trim())
  // Thousandths are no exact fractions, so that what is whole is rounded.
  return seconds === undefined ? undefined : Math.round((seconds / SECONDS[unit!]) * 1e6) / 1e6
}

function readSeconds(text: string): number | undefined {
  const [, amount, word] = SPAN.exec(text) ?? []
  const unit = word && (WORDS.get(word.toLowerCase()) ?? WORDS.get(`${word.toLowerCase()}s`))
  if (unit) return Number(amount) * SECONDS[unit]
  const parts = ISO.exec(text)?.slice(1)
  if (!parts || parts.every(part => part === undefined)) return undefined
  const units: readonly Unit[] = ['w', 'd', 'h', 'm', 's']
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * SECONDS[units[index]!], 0)
}
