import { Problem } from '#kit'
import type { defineTokens } from '../../../ops/tokens.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import type { AnswerSink } from '../reply/sink.ts'
import { requireTokenRate } from './rate-limit.ts'
import { readCookie, setCookie } from './session.ts'

type TokenKind = ReturnType<typeof defineTokens>

interface VisitorRules {
  /** Names the counts of calls. */
  kind: string
  /** How many calls an address may make, and how many may be made with a link. */
  perMinute: (settings: ApiContext['settings']) => number
  link: Pick<TokenKind, 'hash' | 'hasForm'>
  session: TokenKind
  cookie: string
  /** By which a program that acts for a person is known again, in place of the cookie. */
  header: string
}

interface Mark {
  /** The hash by which the browser or program is known again. */
  session: Buffer
  /** What it is known by, which a program that keeps no cookies sends along. */
  word: string
  isNew: boolean
}

/**
 * People without an account come by a link that was made for them. The first browser or program that acts by a link can be
 * marked, so that the link is of no use in another one: the product stores the session and compares it.
 */
export function defineLinkVisitors({ kind, perMinute, link, session: sessions, cookie, header }: VisitorRules) {
  const readWord = (request: IncomingRequest): string | undefined => {
    const given = request.headers[header]
    const word = typeof given === 'string' ? given : readCookie(request, cookie)
    return word !== undefined && sessions.hasForm(word) ? word : undefined
  }
  return {
    /** The hash of the token of a link, unless it, or the address it comes from, is used too often. */
    readLink(context: ApiContext, { ip }: Pick<IncomingRequest, 'ip'>, text: string): Buffer {
      const token = link.hash(context.config.secret, text)
      const max = perMinute(context.settings)
      requireTokenRate(context, { kind, ip, perAddress: max, token, perToken: max })
      if (!link.hasForm(text)) throw new Problem('NOT_FOUND')
      return token
    },
    /** Undefined for one that has not been marked. */
    readSession({ config }: ApiContext, request: IncomingRequest): Buffer | undefined {
      const word = readWord(request)
      return word === undefined ? undefined : sessions.hash(config.secret, word)
    },
    /** Marks the browser or program, unless it is marked. */
    markVisitor(context: ApiContext, request: IncomingRequest, reply: AnswerSink): Mark {
      const known = readWord(request)
      const word = known ?? sessions.mint()
      if (known === undefined) setCookie(context.config, reply, { name: cookie, value: word })
      return { session: sessions.hash(context.config.secret, word), word, isNew: known === undefined }
    },
  }
}
