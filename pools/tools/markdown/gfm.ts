import type MarkdownItClass from 'markdown-it'

type MarkdownIt = InstanceType<typeof MarkdownItClass>

const DOMAIN = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*/u
const MAX_LINK_LENGTH = 2048

/** GFM links addresses that begin with www., but no other names of hosts without a scheme. */
export function addBareLinks(markdown: MarkdownIt): void {
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: true })
  markdown.linkify.add('www.', {
    validate: (text, position) => measureLink(text.slice(position, position + MAX_LINK_LENGTH)),
    normalize: match => {
      match.url = `http://${match.url}`
    },
  })
}

/** The length of a link after `www.`; 0 if there is none. */
function measureLink(rest: string): number {
  const domain = DOMAIN.exec(rest)?.[0]
  const hasUnderscore = domain?.split('.').slice(-2).join('.').includes('_')
  if (domain === undefined || hasUnderscore) return 0
  const path = /^[^\s<]*/.exec(rest.slice(domain.length))![0]
  return trimLinkEnd(domain + path).length
}

/** Punctuation at the end belongs to the sentence, as does a closing bracket that the link does not open. */
function trimLinkEnd(link: string): string {
  let end = link.length
  let surplus = countLetter(link, ')') - countLetter(link, '(')
  while (end > 0) {
    const last = link[end - 1]!
    const entity = last === ';' ? (/&[a-z\d]+;$/i.exec(link.slice(Math.max(0, end - 40), end))?.[0].length ?? 0) : 0
    const isBracket = last === ')' && surplus > 0
    if (entity === 0 && !isBracket && !'?!.,:*_~\'"'.includes(last)) break
    if (isBracket) surplus--
    end -= entity || 1
  }
  return link.slice(0, end)
}

function countLetter(text: string, letter: string): number {
  return text.split(letter).length - 1
}

const FILTERED_TAG = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?:[\s/>]|$))/gi

/** Raw HTML keeps all tags but those that GFM lists in "Disallowed Raw HTML". */
export function escapeFilteredTags(markdown: MarkdownIt): void {
  const { rules } = markdown.renderer
  rules.html_block = (tokens, index) => tokens[index]!.content.replace(FILTERED_TAG, '&lt;')
  rules.html_inline = rules.html_block
}
