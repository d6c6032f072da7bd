import { Type } from 'typebox'

const Digest = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })
const Time = Type.String({ format: 'date-time' })

const Statement = Type.Object({
  typ: Type.String(),
  baton_id: Type.String({ format: 'uuid' }),
  sha256: Digest('Of the content; of a log, of all its entries one after the other.'),
  size: Type.Integer({ description: 'Bytes of the content.' }),
  entries: Type.Integer(),
  chain_head: Type.Union([Digest('The hash of the last entry.'), Type.Null()]),
  witnessed_at: Time,
  retain_until: Time,
})

const Header = Type.Object({
  v: Type.Integer(),
  baton_id: Type.String(),
  seq: Type.Integer(),
  ts: Time,
  writer: Type.String(),
  content_type: Type.String(),
  size: Type.Integer(),
  content_sha256: Type.String(),
  prev: Type.String(),
  hash: Type.String(),
})

export const PROOF_FIELDS = {
  statement: Statement,
  jws: Type.String({
    description: 'Compact JWS (EdDSA) over the canonical JSON (RFC 8785) of the statement. Its header names the key.',
  }),
  jwks_url: Type.String({ description: 'Where the public keys are. Take no address from the JWS itself.' }),
}

export const ProofReply = Type.Object({
  ...PROOF_FIELDS,
  created_at: Type.Optional(Type.String({ description: 'When the baton was created; its chain begins with it.' })),
  entries: Type.Optional(Type.Array(Header, { description: 'What was hashed of each entry, with the hash.' })),
})

export const ChainReply = Type.Object({
  valid: Type.Boolean(),
  mode: Type.String(),
  entries: Type.Integer(),
  chainHead: Type.String(),
  witnessed: Type.Boolean(),
  fault: Type.Optional(
    Type.Object(
      {
        reason: Type.String({
          description:
            'order: an entry is missing, added or moved. header: it is not what was hashed. link: it does not follow on the one before. content: its bytes are not what was hashed. head: the chain does not end where it should. witness: it is not what was signed.',
        }),
        seq: Type.Optional(Type.Integer({ description: 'The entry at which the first fault was found.' })),
      },
      { description: 'Only if the chain is not valid.' },
    ),
  ),
})
