import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { SettingName } from '../../../sql/setting.ts'
import type { ApiContext } from '../../context.ts'
import { readForm } from '../../intake/body/form.ts'
import { jsonBody } from '../../intake/body/json.ts'
import { requireAddressRate } from '../../intake/identity/rate-limit.ts'
import { OAUTH_PATHS } from '../../oauth/metadata.ts'
import { readParameters } from './oauth/authorization-request.ts'
import { registerNewClient } from './oauth/clients.ts'
import { replyOAuthError } from './oauth/failure.ts'
import { endToken, issueTokens } from './oauth/tokens.ts'

interface Endpoint {
  url: string
  rate: SettingName & `rate.${string}`
  status: number
  answer(request: FastifyRequest): Promise<object>
}

/** The endpoints that clients call themselves. Users approve at a page, in pages/consent.ts. */
export default function registerOAuth(app: FastifyInstance, context: ApiContext): void {
  const endpoints: Endpoint[] = [
    {
      url: OAUTH_PATHS.token,
      rate: 'rate.token_per_minute',
      status: 200,
      answer: async request => issueTokens(context, readParameters(await readForm(request))),
    },
    {
      url: OAUTH_PATHS.revoke,
      rate: 'rate.token_per_minute',
      status: 200,
      answer: async request => {
        await endToken(context, readParameters(await readForm(request)))
        return {}
      },
    },
    {
      url: OAUTH_PATHS.register,
      rate: 'rate.register_per_minute',
      status: 201,
      answer: async request => describeClient(await registerNewClient(context, jsonBody(request))),
    },
  ]
  for (const endpoint of endpoints) registerEndpoint(app, context, endpoint)
}

function registerEndpoint(app: FastifyInstance, context: ApiContext, { url, rate, status, answer }: Endpoint): void {
  app.route({
    method: 'POST',
    url,
    config: { entry: 'oauth', summary: 'OAuth', auth: ['none'], hasOwnAuth: true, isUncounted: true },
    errorHandler: (error, request, reply) => void replyOAuthError(error, request, reply),
    handler: async (request, reply): Promise<FastifyReply> => {
      if (!context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
      countRequest(context, request, rate)
      const body = await answer(request)
      return reply.code(status).header('cache-control', 'no-store').header('pragma', 'no-cache').send(body)
    },
  })
}

function countRequest({ limits, settings }: ApiContext, { ip }: FastifyRequest, rate: Endpoint['rate']): void {
  requireAddressRate({ limits }, { kind: rate, ip, perAddress: Number(settings.get(rate)) })
}

function describeClient({ id, name, redirectUris }: Awaited<ReturnType<typeof registerNewClient>>): object {
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    ...(name !== null && { client_name: name }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}
