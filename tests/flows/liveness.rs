//! Who is still there, judged apart from the requests.
