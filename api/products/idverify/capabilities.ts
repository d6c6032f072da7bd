import { Type } from 'typebox'
import { defineCapability } from '../../product-capabilities.ts'

export default [
  defineCapability({
    name: 'identity',
    schema: Type.Object({
      available: Type.Boolean({ description: 'Whether identities can be verified here.' }),
      decidedBy: Type.Optional(Type.String({ description: 'A provider, or reviewers of the operator.' })),
      set: Type.Optional(Type.String({ description: 'What the operator sets for it.' })),
    }),
    describe({ config: { identity }, settings }) {
      const decidedBy = identity?.provider ?? (settings.get('idverify.manual_review_enabled') ? 'reviewers' : undefined)
      if (decidedBy) return { available: true, decidedBy }
      return { available: false, set: 'IDENTITY_PROVIDER, or idverify.manual_review_enabled where people review' }
    },
    listRefused: ({ config: { identity }, settings }) =>
      identity || settings.get('idverify.manual_review_enabled') ? [] : ['idverify.create-verification'],
  }),
]
