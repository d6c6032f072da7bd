import type { FastifyInstance, FastifyRequest } from 'fastify'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/fastify/v5'
import { GraphQLError } from 'postgraphile/graphql'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { isProblemCode, Problem } from '#kit'
import { toOperatorSettings } from '../../sql/admin/acting.ts'
import { connectTo } from '../../sql/hosts/primary.ts'
import { type OperatorSession, readOperatorSession, requireConsoleOrigin } from './access/session.ts'
import type { ConsoleContext } from './context.ts'
import { hasRole } from './page.ts'
import { policyOf } from './parts/policy.ts'

// Decision 0501: serve the views and acts of the schema admin by PostGraphile, and nothing else.

const GRAPHQL = /^\/(graphql|graphiql|ruru-static)(\/|\?|$)/
/** Of what GraphiQL is made; its page has a script and styles of its own. */
const GRAPHIQL = /^\/(graphiql|ruru-static)(\/|\?|$)/
const GRAPHIQL_POLICY = policyOf("'self' 'unsafe-inline' blob:")
const STATEMENT_TIMEOUT = '10s'

const sessions = new WeakMap<object, OperatorSession>()

/** Arguments of our SQL functions begin with an underscore, and those of GraphQL do not. */
const plainArguments: GraphileConfig.Plugin = {
  name: 'PlainArgumentsPlugin',
  version: '1.0.0',
  inflection: {
    replace: {
      argument(previous, _options, details) {
        return previous!.call(this, details).replace(/^_+/, '')
      },
    },
  },
}

/** GraphQL over the schema `admin` for operators who are signed in, and GraphiQL for those who may change something. */
export async function registerGraphQl(app: FastifyInstance, context: ConsoleContext): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    if (!GRAPHQL.test(request.url)) return
    const session = await readOperatorSession(context, request)
    if (!session) throw new Problem('UNAUTHENTICATED')
    if (request.method !== 'GET' && request.method !== 'HEAD') requireConsoleOrigin(context, request)
    if (GRAPHIQL.test(request.url)) {
      if (!hasRole(session, 'support')) throw new Problem('FORBIDDEN', { needed: 'support' })
      reply.header('content-security-policy', GRAPHIQL_POLICY)
    }
    sessions.set(request.raw, session)
  })
  const instance = postgraphile(buildPreset(context))
  await instance.createServ(grafserv).addTo(app)
  app.addHook('onClose', () => instance.release())
}

/** Exported for the test that compares what it offers. */
export function buildPreset({ db, log }: Pick<ConsoleContext, 'db' | 'log'>): GraphileConfig.Preset {
  const { connectionString, ...hosts } = connectTo(db.url)
  return {
    extends: [PostGraphileAmberPreset],
    plugins: [plainArguments],
    // Some views could be written to; operators change things by functions alone.
    disablePlugins: ['PgMutationCreatePlugin', 'PgMutationUpdateDeletePlugin'],
    pgServices: [
      makePgService({
        connectionString,
        schemas: ['admin'],
        poolConfig: { ...hosts, max: 3, application_name: 'coinop graphql', allowExitOnIdle: true },
      }),
    ],
    grafserv: {
      graphqlPath: '/graphql',
      graphiql: true,
      graphiqlPath: '/graphiql',
      graphiqlOnGraphQLGET: false,
      graphqlOverGET: false,
      watch: false,
      websockets: false,
      maxRequestLength: 100_000,
      maskError: error => maskError(error, log),
    },
    grafast: {
      explain: false,
      context: ({ fastifyv5 }) => ({ pgSettings: fastifyv5 ? settingsOf(fastifyv5.request) : {} }),
    },
  }
}

function settingsOf(request: FastifyRequest): Record<string, string> {
  const session = sessions.get(request.raw)
  const acting = session ? toOperatorSettings({ session: session.hash, address: request.ip }) : {}
  return { ...acting, statement_timeout: STATEMENT_TIMEOUT }
}

/** What the database refuses is told with its code, and what is wrong with the query; everything else may say too much. */
function maskError(error: GraphQLError, log: ConsoleContext['log']): GraphQLError {
  const { originalError, nodes, path } = error
  const { code, message, detail } = (originalError ?? {}) as { code?: string; message?: string; detail?: string }
  if (code === 'SVC01' && message !== undefined && isProblemCode(message)) {
    const problem = new Problem(message, detail ? (JSON.parse(detail) as Record<string, unknown>) : {})
    return new GraphQLError(problem.message, { nodes, path, extensions: problem.toBody() })
  }
  // Without an original error it is the query itself that is wrong, as it is where its variables are.
  if (!originalError || originalError instanceof GraphQLError) return error
  log.warn({ err: originalError, path }, 'a query failed')
  return new GraphQLError('The query failed; the log of the console says why.', { nodes, path })
}
