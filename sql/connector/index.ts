export { findRegisteredClient, type RegisteredClient, registerClient } from './approvals.ts'
export { type NewTokens, redeemCode, refreshTokens, revokeToken, type TokenGrant, useToken } from './tokens.ts'
