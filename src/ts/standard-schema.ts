/**
 * Standard Schema, version 1 (https://standardschema.dev), as far as this package uses it. The
 * specification is types alone and asks to be copied; so users need no package for it.
 */

/** A validator of any library that keeps to Standard Schema: zod, valibot, arktype, … */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the specification puts under this name. */
  readonly "~standard": {
    /** The version of the specification. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Judges a value; may return a promise. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types of what goes in and what comes out; never there at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a validator says: the value it made of the input, or what is wrong with the input. */
export type StandardResult<Output> =
  | {
      /** What the validator made of the input. */
      readonly value: Output;
      /** Absent with a success. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong. */
      readonly issues: readonly StandardIssue[];
    };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that goes into a schema. */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["input"];

/** The type that comes out of a schema. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];
