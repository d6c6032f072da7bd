import type { PRESETS } from './presets.ts'

interface Found {
  match: string
  index: number
}

/** What is found is made exact by what stands around it, which RE2 cannot see; undefined drops it. */
type Refine = (found: Found, text: string) => Found | undefined

const LONGEST_IPV6 = 45
const WORD = /[\p{L}\p{N}_]/u

function refineIpv6({ match, index }: Found, text: string): Found | undefined {
  const end = index + match.length
  if (WORD.test(text.slice(index - 1, index) + text.slice(end, end + 1))) return undefined
  const from = match.search(/[^.]/)
  const start = /^:[^:]/.test(match.slice(from)) ? from + 1 : from
  const address = cutEnd(match.slice(start))
  const isAddress = address.length <= LONGEST_IPV6 && URL.canParse(`http://[${address}]`)
  return isAddress ? { match: address, index: index + start } : undefined
}

/** Without the signs that end a part of a sentence. */
function cutEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '.') end--
  const isColon = text[end - 1] === ':' && text[end - 2] !== ':'
  return text.slice(0, isColon ? end - 1 : end)
}

/** A sign is one where nothing is before it: `$3-$5` has none. */
function refineMoney({ match, index }: Found, text: string): Found {
  const before = text.slice(Math.max(0, index - 2), index)
  const isSigned = /^[-−]$|[\s([{<>:=;,"'|][-−]$/.test(before)
  return isSigned ? { match: before.slice(-1) + match, index: index - 1 } : { match, index }
}

export const REFINEMENTS: { readonly [Preset in keyof typeof PRESETS]?: Refine } = {
  ipv6: refineIpv6,
  money: refineMoney,
}
