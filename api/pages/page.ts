import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Floor } from '../floor.ts'
import type { Session } from '../intake/session.ts'
import type { Html } from './html.ts'

/** What a page is asked with. */
export interface Visit<Who = Session | undefined> {
  session: Who
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a form that was sent. */
  form: URLSearchParams
  request: FastifyRequest
  reply: FastifyReply
}

/** A whole document, or the address to go to next. */
export type Shown = Html | { to: string }

export interface Page {
  at: `${'GET' | 'POST'} /${string}`
  isPrivate: boolean
  show(visit: Visit, floor: Floor): Promise<Shown> | Shown
}

export function publicPage(at: Page['at'], show: (visit: Visit, floor: Floor) => Promise<Shown> | Shown): Page {
  return { at, show, isPrivate: false }
}

/** Only for who is signed in; a form of it must carry the token of its session. */
export function privatePage(
  at: Page['at'],
  show: (visit: Visit<Session>, floor: Floor) => Promise<Shown> | Shown,
): Page {
  return { at, show: show as Page['show'], isPrivate: true }
}
