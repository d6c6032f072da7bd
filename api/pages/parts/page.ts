import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../../context.ts'
import type { Session } from '../../intake/identity/session.ts'
import type { Html } from './html.ts'

/** What a page gets to render itself from. */
export interface PageRequest<SessionType = Session | undefined> {
  session: SessionType
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of the form that was sent. */
  form: URLSearchParams
  request: FastifyRequest
  reply: FastifyReply
}

/** A file, with the headers that tell the browser what it may do with it. */
export interface PageFile {
  headers: Record<string, string>
  body: Readable | Buffer
}

/** A whole document, a file, or the address to redirect to. */
type PageResult = Html | PageFile | { redirectTo: string }

export interface Page {
  at: `${'GET' | 'POST'} /${string}`
  isPrivate: boolean
  /** Its form has files, and the page reads the body itself. */
  takesFiles?: boolean
  /** It holds no secret, so that its size tells nothing. */
  isCompressed?: boolean
  /** It needs no session, so that it is served while the database is away. */
  isAlone?: boolean
  render(page: PageRequest, context: ApiContext): Promise<PageResult> | PageResult
}

export function definePublicPage(
  at: Page['at'],
  render: (page: PageRequest, context: ApiContext) => Promise<PageResult> | PageResult,
): Page {
  return { at, render, isPrivate: false }
}

/** A page for signed-in visitors only; its forms must carry the CSRF token of the session. */
export function definePrivatePage(
  at: Page['at'],
  render: (page: PageRequest<Session>, context: ApiContext) => Promise<PageResult> | PageResult,
): Page {
  return { at, render: render as Page['render'], isPrivate: true }
}
