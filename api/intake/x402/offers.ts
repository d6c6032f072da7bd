import type { FastifyRequest } from 'fastify'
import { formatUsd, type Micros, type PaymentNetwork, PREFIX } from '#kit'
import type { Catalog } from '../../catalog.ts'
import { type Advert, advertOf } from './advert.ts'
import { CHUNK_MICROS } from './payload.ts'
import { signInOffer } from './sign-in.ts'

const TIMEOUT_SECONDS = 300
/** The client sends the offer's extensions back, so both ways must fit what proxies allow. */
const HEADER_BYTES = 6_000
/** Above this an advert is shortened. */
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

export interface Offer {
  header: string
  body: Record<string, unknown>
}

/** Says how a call can be paid, in the words of both versions of the protocol. */
export class Offers {
  readonly #network: PaymentNetwork
  readonly #catalog: Catalog
  readonly #publicUrl: string
  readonly #secret: string
  readonly #adverts = new Map<string, readonly Advert[]>()

  constructor(network: PaymentNetwork, catalog: Catalog, { publicUrl, secret }: { publicUrl: string; secret: string }) {
    this.#network = network
    this.#catalog = catalog
    this.#publicUrl = publicUrl
    this.#secret = secret
  }

  /** The offer for one call at its price; `reason` says what was wrong with a payment that came before. */
  make(request: FastifyRequest, price: Micros, reason?: string): Offer {
    const network = this.#network
    const amount = (price < CHUNK_MICROS ? CHUNK_MICROS : price).toString()
    const resource = this.#resourceOf(request)
    const accepted = network.assets.map(asset => ({
      scheme: 'exact',
      network: network.caip2,
      amount,
      asset: asset.address,
      payTo: network.payTo,
      maxTimeoutSeconds: TIMEOUT_SECONDS,
      maxAmountRequired: amount,
      extra: { name: asset.domainName, version: asset.domainVersion, assetTransferMethod: 'eip3009' },
    }))
    const signIn = signInOffer(resource.url, network, this.#secret, Date.now())
    const extensions = { 'payment-identifier': IDENTIFIER, 'sign-in-with-x': signIn }
    const required = { x402Version: 2, error: reason ?? 'PAYMENT_REQUIRED', resource, accepts: accepted, extensions }
    return {
      header: this.#headerOf(required, request),
      body: {
        resource,
        accepted,
        accepts: this.#inVersion1(amount, resource),
        required: { amount_usdc: formatUsd(BigInt(amount)), wallet_address: network.payTo, network: network.caip2 },
        price: { micros: price.toString() },
      },
    }
  }

  /** For doors that want to know who calls, and no money. */
  signIn(request: FastifyRequest): string {
    const resource = this.#resourceOf(request)
    const extensions = { 'sign-in-with-x': signInOffer(resource.url, this.#network, this.#secret, Date.now()) }
    return encoded({ x402Version: 2, error: 'MISSING_AUTH', resource, accepts: [], extensions })
  }

  #resourceOf(request: FastifyRequest) {
    const { entry, summary } = request.routeOptions.config
    return {
      url: `${this.#publicUrl}${request.url.split('?')[0]}`,
      description: summary ?? '',
      mimeType: 'application/json',
      serviceName: PREFIX,
      tags: entry ? [entry.split('.')[0]!] : [],
    }
  }

  #inVersion1(amount: string, { url, description, mimeType }: { url: string; description: string; mimeType: string }) {
    return this.#network.assets.map(asset => ({
      scheme: 'exact',
      network: this.#network.v1Name,
      maxAmountRequired: amount,
      resource: url,
      description,
      mimeType,
      payTo: this.#network.payTo,
      maxTimeoutSeconds: TIMEOUT_SECONDS,
      asset: asset.address,
      extra: { name: asset.domainName, version: asset.domainVersion },
    }))
  }

  /** With the longest advert of the call that fits; whoever asks without a body wants to read about the call. */
  #headerOf(required: { extensions: object }, request: FastifyRequest): string {
    const most = request.body === undefined || request.body === null ? HEADER_BYTES : USUAL_BYTES
    for (const bazaar of this.#advertsOf(request)) {
      const header = encoded({ ...required, extensions: { ...required.extensions, bazaar } })
      if (header.length <= most) return header
    }
    return encoded(required)
  }

  #advertsOf(request: FastifyRequest): readonly Advert[] {
    const name = request.routeOptions.config.entry ?? ''
    let adverts = this.#adverts.get(name)
    if (!adverts) {
      const operation = this.#catalog.operation(name)
      adverts = operation ? advertOf(operation) : []
      this.#adverts.set(name, adverts)
    }
    return adverts
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
