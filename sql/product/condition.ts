/** Which version a write may meet: tags without their quotes, where `*` is any. Nothing stands for whatever is there. */
export interface Condition {
  /** It must be one of these. */
  match?: readonly string[]
  /** It must be none of these. */
  noneMatch?: readonly string[]
}
