/** The account of calls that are only priced. It owns nothing, so that no stored file of an account can be priced. */
export const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000'
