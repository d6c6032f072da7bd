import { formatUsd, ID_PREFIX, type Micros, type PaymentNetwork } from '#kit'
import type { DatabaseClock } from '../../../sql/hosts/clock.ts'
import type { Catalog } from '../../catalog.ts'
import type { RequestWithBody } from '../../incoming-call.ts'
import type { OfferedTerms, PaymentProofs } from '../parts.ts'
import { type BazaarExtension, bazaarExtensions } from './discovery.ts'
import { CHUNK_MICROS } from './payments.ts'
import { signInOffer } from './sign-in.ts'

const TIMEOUT_SECONDS = 300
/** Clients send the extensions back, so the header must fit proxies' limits in both directions. */
const HEADER_BYTES = 6_000
/** Above this a shorter discovery extension is used. */
const USUAL_BYTES = 4_000

const IDENTIFIER = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    },
    required: ['required'],
  },
}

interface Required402 {
  resource: { url: string }
  accepts: readonly OfferedTerms[]
  extensions: object
}

interface Offer {
  header: string
  body: Record<string, unknown>
}

interface OfferSources {
  publicUrl: string
  secret: string
  proofs: PaymentProofs | undefined
  clock: Pick<DatabaseClock, 'aheadMs'>
}

/** Describes how a call can be paid, in both versions of the protocol. */
export class Offers {
  readonly network: PaymentNetwork
  readonly proofs: PaymentProofs | undefined
  readonly #catalog: Catalog
  /** Of the catalogue, when its calls were advertised. */
  #version = 0
  readonly #publicUrl: string
  readonly #secret: string
  readonly #clock: Pick<DatabaseClock, 'aheadMs'>
  readonly #extensions = new Map<string, readonly BazaarExtension[]>()

  constructor(network: PaymentNetwork, catalog: Catalog, { publicUrl, secret, proofs, clock }: OfferSources) {
    this.network = network
    this.proofs = proofs
    this.#catalog = catalog
    this.#publicUrl = publicUrl
    this.#secret = secret
    this.#clock = clock
  }

  /** The offer for one call at its price; `reason` says why an earlier payment was refused. */
  make(request: RequestWithBody, price: Micros, reason?: string): Offer {
    const { network } = this
    const amount = amountToSign(price)
    const resource = this.#describeResource(request)
    const accepted = this.#listAccepted(amount)
    const signIn = isInquiry(request) ? {} : this.#offerSignIn(resource.url)
    const extensions = { 'payment-identifier': IDENTIFIER, ...signIn }
    const required = { x402Version: 2, error: reason ?? 'PAYMENT_REQUIRED', resource, accepts: accepted, extensions }
    return {
      header: this.#encodeHeader(required, request),
      body: {
        resource,
        accepted,
        accepts: this.#describeForVersion1(amount, resource),
        required: { amount_usdc: formatUsd(BigInt(amount)), wallet_address: network.payTo, network: network.caip2 },
        price: { micros: price.toString() },
      },
    }
  }

  /** The offer for one call of an MCP tool, which clients find in the result; it has no room for extensions. */
  makeForTool(tool: { name: string; summary: string }, price: Micros): Record<string, unknown> {
    const amount = amountToSign(price)
    const resource = { url: `mcp://tool/${tool.name}`, description: tool.summary, mimeType: 'application/json' }
    const accepts = this.#listAccepted(amount)
    return { resource, accepts, acceptsVersion1: this.#describeForVersion1(amount, resource) }
  }

  /**
   * For routes that need a caller and no payment. It comes with a 401, because clients of x402 take a 402 that they cannot pay
   * for a failure of their own.
   */
  signIn(request: RequestWithBody): Offer {
    const resource = this.#describeResource(request)
    const offer = { x402Version: 2, resource, accepts: [], extensions: this.#offerSignIn(resource.url) }
    return { header: encoded({ ...offer, error: 'MISSING_AUTH' }), body: offer }
  }

  #offerSignIn(url: string): object {
    return { 'sign-in-with-x': signInOffer(url, this.network, this.#secret, Date.now() - this.#clock.aheadMs) }
  }

  #listAccepted(amount: string): OfferedTerms[] {
    const { assets, caip2, payTo } = this.network
    return assets.map(asset => ({
      scheme: 'exact',
      network: caip2,
      amount,
      asset: asset.address,
      payTo,
      maxTimeoutSeconds: TIMEOUT_SECONDS,
      maxAmountRequired: amount,
      extra: { name: asset.domainName, version: asset.domainVersion, assetTransferMethod: 'eip3009' },
    }))
  }

  #describeResource(request: RequestWithBody) {
    const { entry, summary } = request.routeOptions.config
    return {
      url: `${this.#publicUrl}${request.url.split('?')[0]}`,
      description: summary ?? '',
      mimeType: 'application/json',
      serviceName: ID_PREFIX,
      tags: entry ? [entry.split('.')[0]!] : [],
    }
  }

  #describeForVersion1(
    amount: string,
    { url, description, mimeType }: { url: string; description: string; mimeType: string },
  ) {
    return this.network.assets.map(asset => ({
      scheme: 'exact',
      network: this.network.v1Name,
      maxAmountRequired: amount,
      resource: url,
      description,
      mimeType,
      payTo: this.network.payTo,
      maxTimeoutSeconds: TIMEOUT_SECONDS,
      asset: asset.address,
      extra: { name: asset.domainName, version: asset.domainVersion },
    }))
  }

  /**
   * With signed offers and the longest discovery extension that fits; a request without a body asks for information and gets
   * more. Discovery tools take no offer that does not describe itself, so for them its signature is left out first.
   */
  #encodeHeader(required: Required402, request: RequestWithBody): string {
    const signed = this.proofs?.signOffers(required.resource.url, required.accepts) ?? {}
    const discovery = this.#extensionsFor(request).map(bazaar => ({ bazaar }))
    const both = discovery.map(bazaar => ({ ...signed, ...bazaar }))
    const choices = isInquiry(request) ? [...both, ...discovery, signed] : [...both, signed]
    for (const [index, extra] of choices.entries()) {
      const header = encoded({ ...required, extensions: { ...required.extensions, ...extra } })
      const isLong = index === 0 && discovery.length > 0 && !isInquiry(request)
      if (header.length <= (isLong ? USUAL_BYTES : HEADER_BYTES)) return header
    }
    return encoded(required)
  }

  #extensionsFor(request: RequestWithBody): readonly BazaarExtension[] {
    const { version } = this.#catalog
    if (version !== this.#version) this.#extensions.clear()
    this.#version = version
    const name = request.routeOptions.config.entry ?? ''
    let adverts = this.#extensions.get(name)
    if (!adverts) {
      const entry = this.#catalog.entries.find(entry => entry.name === name)
      adverts = entry?.price && !entry.params ? bazaarExtensions(entry) : []
      this.#extensions.set(name, adverts)
    }
    return adverts
  }
}

/** No authorization is for less than one chunk. */
function amountToSign(price: Micros): string {
  return (price < CHUNK_MICROS ? CHUNK_MICROS : price).toString()
}

/**
 * Whether a request only asks what is offered. Discovery tools do, and take a route that also offers to sign in for one
 * that sells nothing.
 */
function isInquiry({ body, routeOptions }: RequestWithBody): boolean {
  return (body === undefined || body === null) && !routeOptions.config.isBodyOptional
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
