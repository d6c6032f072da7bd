import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { AuthMode, Example, ProblemCode } from '#kit'
import type { Floor } from './floor.ts'
import type { Caller } from './intake/authenticate.ts'

/** What a handler is given: who calls, what was asked (validated), and the raw pair for the few that stream. */
export interface Asked<P, Q, B> {
  /** Present unless the route's `auth` holds `none`; even then present when the caller proved who it is. */
  caller: Caller
  params: P
  query: Q
  body: B
  request: FastifyRequest
  reply: FastifyReply
}

export interface RouteDeclaration<P extends TSchema, Q extends TSchema, B extends TSchema> {
  /** `GET /v1/jobs/{id}`; a last segment `*` takes the rest of the path as the parameter `*`. */
  at: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  summary: string
  description?: string
  auth: readonly AuthMode[]
  params?: P
  query?: Q
  body?: B
  /** An absent body is taken for `{}`. */
  bodyOptional?: boolean
  /** The body is handed over as the bytes that came, in `request.body`: for what is signed as a whole. */
  rawBody?: boolean
  /** The handler reads the Authorization header itself: what it holds is no key of an account. */
  ownAuth?: boolean
  reply: { status: number; schema?: TSchema; contentType?: string }
  errors: readonly ProblemCode[]
  examples?: readonly Example[]
  /** Not listed in the surfaces: a door for machines of ours. */
  hidden?: boolean
  /** Returns the body; `undefined` means the handler has replied itself. */
  handle(asked: Asked<Static<P>, Static<Q>, Static<B>>, floor: Floor): Promise<unknown> | unknown
}

export type Route = RouteDeclaration<TSchema, TSchema, TSchema>

/** Declares a route: the one thing a file under api/routes default-exports. */
export function route<P extends TSchema = TSchema, Q extends TSchema = TSchema, B extends TSchema = TSchema>(
  declaration: RouteDeclaration<P, Q, B>,
): Route {
  return declaration as unknown as Route
}
